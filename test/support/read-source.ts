import { readdirSync } from "node:fs";
import { UserError } from "../../src/errors.ts";
import { readAfter } from "../../src/source/observations.ts";
import { type OpenOptions, openSource } from "../../src/source/open.ts";

/** What a process sees that opens the source `argv[2]` (see `readSourceUnprivileged`), as one line of JSON. */
export interface Seen {
  mode?: string;
  degraded?: boolean;
  ids?: number[];
  /** Private copies while the source was open, and after. */
  copies?: [number, number];
  code?: string;
}

if (import.meta.main) {
  const [path = "", copies = "", limit, root] = process.argv.slice(2);
  // Permissions don't bind root; everything is loaded by now.
  if (root === "root" && process.setgid !== undefined && process.setuid !== undefined) {
    process.setgid(65_534);
    process.setuid(65_534);
  }
  process.stdout.write(JSON.stringify(look(path, { temporaryFolder: copies, copyLimit: Number(limit) })));
}

function look(path: string, options: OpenOptions & { temporaryFolder: string }): Seen {
  const count = () => readdirSync(options.temporaryFolder).length;
  try {
    const source = openSource(path, options);
    const ids = readAfter(source, 0, 1000).map((row) => row.id);
    const open = count();
    source.close();
    return { mode: source.mode, degraded: source.degraded, ids, copies: [open, count()] };
  } catch (error) {
    if (error instanceof UserError) return { code: error.code };
    throw error;
  }
}

/** Opens a source in a process that file permissions bind, whoever runs the tests. */
export function readSourceUnprivileged(source: string, copies: string, copyLimit = 2 ** 30): Seen {
  const root = process.getuid?.() === 0;
  const child = Bun.spawnSync({
    cmd: [
      process.execPath,
      import.meta.filename,
      source,
      copies,
      String(copyLimit),
      ...(root ? ["root"] : []),
    ],
    stdout: "pipe",
    stderr: "pipe",
  });
  if (child.exitCode !== 0) throw new Error(child.stderr.toString());
  const seen: Seen = JSON.parse(child.stdout.toString());
  return seen;
}
