import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The programs that the slow suites run against, as published. */
const VERSIONS = { "@anthropic-ai/claude-code": "2.1.332", "claude-mem": "13.25.3" } as const;

type Name = keyof typeof VERSIONS;

/**
 * The folder of a published package, with what it depends on beside it. Fetched once from npm into the
 * user's cache, outside the clone; no script of a package runs.
 */
export async function realPackage(name: Name): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "persisted-memory-tests");
  const folder = join(cache, `${name.replace("/", "+")}@${VERSIONS[name]}`);
  if (!existsSync(folder)) await install(name, cache, folder);
  return join(folder, "node_modules", name);
}

/** Claude Code's program for this machine. */
export async function realClaude(): Promise<string> {
  const beside = join(await realPackage("@anthropic-ai/claude-code"), "..");
  const folders = readdirSync(beside).filter((name) => name.startsWith("claude-code-"));
  const program = folders.map((name) => join(beside, name, "claude")).find((path) => existsSync(path));
  if (program === undefined) throw new Error(`no program for this machine in ${beside}`);
  return program;
}

/** Into a folder beside it first: another run sees all of it or nothing. */
async function install(name: Name, cache: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "draft-"));
  writeFileSync(join(draft, "package.json"), JSON.stringify({ dependencies: { [name]: VERSIONS[name] } }));
  const child = Bun.spawn([process.execPath, "install", "--ignore-scripts", "--silent"], {
    cwd: draft,
    stderr: "pipe",
  });
  if ((await child.exited) !== 0)
    throw new Error(`cannot install ${name}: ${await new Response(child.stderr).text()}`);
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true }); // another run was faster
  }
}
