import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "../paths.ts";
import { type HookProgram, neutralConfig, ownScript } from "./hook-entries.ts";

/**
 * Bun and the script for a command line that has to work later and elsewhere: Bun by a name on the PATH, if
 * that is the one that runs now, since the place that it leads to is often gone after an update.
 */
export function ownProgram(env: Environment): HookProgram {
  const file = process.platform === "win32" ? "bun.exe" : "bun";
  const named = (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, file));
  const running = realpathSync(process.execPath);
  const stays = named.find((path) => !isFleeting(path) && existsSync(path) && realpathSync(path) === running);
  return { bun: stays ?? process.execPath, script: ownScript() };
}

/** The words that start our command line in a way that works everywhere; variables come from `envFile` alone. */
export function ownCommand({ bun, script }: HookProgram, envFile: string): string[] {
  return [
    bun,
    `--env-file=${envFile}`,
    `--config=${neutralConfig(script)}`,
    script.replace(/hook(\.\w+)$/, "cli$1"),
  ];
}

/** npx and `bun run` put programs where they may be cleared away at any time. */
export function isFleeting(path: string): boolean {
  return /[\\/]_npx[\\/]/.test(path) || path.startsWith(join(tmpdir(), "bun-node-"));
}
