import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  /** HOME of the run, and with it every XDG directory. */
  home: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  /** The program; else `src/cli.ts`. */
  entry?: string;
}

const CLI = join(import.meta.dirname, "..", "..", "src", "cli.ts");

/** Runs the command line as a person's shell would, in an environment that holds nothing of theirs. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = Bun.spawn([process.execPath, options.entry ?? CLI, ...args], {
    cwd: options.cwd ?? options.home,
    env: { PATH: process.env["PATH"] ?? "", HOME: options.home, ...options.env },
    stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** A folder that is gone when `using` leaves its scope. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "pmem-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
