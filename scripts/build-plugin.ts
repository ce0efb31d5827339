import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOOKS, HOOK_NAMES } from "../src/claude/hook-entries.ts";

const BUILT = ["dist", "drizzle", "hooks/hooks.json"];

/**
 * Bun reads `bunfig.toml` of the folder that it is started in, and a `preload` from there would run inside our hooks.
 * The hooks' command lines name this one instead.
 */
const BUNFIG = "# Nothing: it stands for the one of the folder that a hook runs in.\n";

/**
 * What of `plugin/` is generated: the bundle of the hooks and the command line in one, so that the plugin needs no
 * `node_modules`, the store's migrations, and which hooks it calls. `--check` only compares.
 */
if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const draft = mkdtempSync(join(tmpdir(), "pmem-plugin-"));
  try {
    await buildPlugin(root, draft);
    const stale = BUILT.filter((path) => !isSame(join(draft, path), join(root, "plugin", path)));
    if (!process.argv.includes("--check")) {
      for (const path of stale) replace(join(draft, path), join(root, "plugin", path));
    } else if (stale.length > 0) {
      console.error(`stale: ${stale.map((path) => `plugin/${path}`).join(", ")}\nhint: bun run plugin`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(draft, { recursive: true });
  }
}

/** Everything that is generated in `plugin/`, written into `target`. */
export async function buildPlugin(root: string, target: string): Promise<void> {
  await Bun.build({
    entrypoints: ["hook", "cli"].map((entry) => join(root, "src", `${entry}.ts`)),
    root: join(root, "src"),
    outdir: join(target, "dist"),
    target: "bun",
    splitting: true,
    minify: { syntax: true, whitespace: true },
    // write-file-atomic names its temporary files after it: the place of this machine must not get in
    define: { __filename: '"persisted-memory"' },
    // a folder deeper, as the sources are: from there `../../drizzle` is the plugin's own
    naming: { chunk: "chunks/[hash].[ext]" },
  });
  writeFileSync(join(target, "dist", "bunfig.toml"), BUNFIG);
  cpSync(join(root, "drizzle"), join(target, "drizzle"), { recursive: true });
  mkdirSync(join(target, "hooks"));
  writeFileSync(
    join(target, "hooks", "hooks.json"),
    `${JSON.stringify({ hooks: pluginHooks() }, null, 2)}\n`,
  );
}

function pluginHooks(): Record<string, object[]> {
  const hooks: Record<string, object[]> = {};
  for (const name of HOOK_NAMES) {
    const { event, timeout, ...more } = HOOKS[name];
    const command = `sh "\${CLAUDE_PLUGIN_ROOT}/hooks/run.sh" ${name}`;
    const matcher = "matcher" in more ? { matcher: more.matcher } : {};
    // on Windows Claude Code would else take PowerShell where it finds it
    (hooks[event] ??= []).push({ ...matcher, hooks: [{ type: "command", shell: "bash", command, timeout }] });
  }
  return hooks;
}

function isSame(one: string, other: string): boolean {
  const [ones, others] = [filesIn(one), filesIn(other)];
  return ones.size === others.size && [...ones].every(([name, text]) => others.get(name) === text);
}

/** A folder's files, or the one file, by their names. */
function filesIn(path: string): Map<string, string> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true)
    return new Map(stat === undefined ? [] : [["", readFileSync(path, "utf8")]]);
  return new Map(
    [...new Bun.Glob("**/*").scanSync(path)].map((name) => [name, readFileSync(join(path, name), "utf8")]),
  );
}

function replace(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}
