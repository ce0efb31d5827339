import { readFileSync } from "node:fs";
import { hooksIn } from "../claude/hook-entries.ts";
import { SCOPES, settingsPath } from "../claude/settings-places.ts";
import type { Environment } from "../paths.ts";

/** The settings files that `install` may have written to. */
export function settingsFiles(folder: string, env: Environment): string[] {
  return SCOPES.map((scope) => settingsPath(scope, folder, env));
}

/** Whether one of these settings files calls the hook: the plugin then leaves it to that. */
export function isInstalled(name: string, files: readonly string[]): boolean {
  return files.some((file) => hooksIn(read(file)).some((hook) => hook.name === name));
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
  } catch {
    return null; // none, or one that Claude Code cannot read either
  }
}
