import { spawn } from "node:child_process";
import type { Environment } from "./paths.ts";

/**
 * Starts one of our own commands and leaves it to itself: it outlives the hook, the terminal and Claude Code,
 * and opens no window. `words` are those of the command line: `["knowledge", "flush"]`.
 */
export function startDetached(words: readonly string[], env: Environment): void {
  // what keeps a project's .env and bunfig.toml out of the hook keeps them out of the child
  const child = spawn(process.execPath, [...process.execArgv, commandLine(), ...words], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
    env: { ...env },
  });
  child.on("error", () => undefined); // the queue keeps what it would have done
  child.unref();
}

/** `cli` beside the running script, in the sources and in the plugin's bundle alike. */
function commandLine(): string {
  return Bun.main.replace(/[^/\\]+(\.\w+)$/, "cli$1");
}
