import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { type Environment, resolvePaths } from "../paths.ts";

/** Past this the log becomes `hooks.log.1`, in the place of the one before. */
const LOG_BYTES = 256 * 1024;
const LINE_UNITS = 2000;

export function hookLogPath(env: Environment): string {
  return `${resolvePaths(env).state}/hooks.log`;
}

/** Adds one line to the hooks' log. A log that cannot be written must not cost the session anything. */
export function logHook(env: Environment, hook: string, message: string): void {
  const path = hookLogPath(env);
  const line = `${new Date().toISOString()} ${hook}: ${message.replaceAll(/\s+/g, " ").slice(0, LINE_UNITS)}\n`;
  try {
    mkdirSync(resolvePaths(env).state, { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.1`);
    appendFileSync(path, line, { mode: 0o600 });
  } catch {
    // nowhere is left to say it
  }
}
