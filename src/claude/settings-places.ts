import { join } from "node:path";
import type { Environment } from "../paths.ts";
import { claudeConfigDirectory } from "./memory-directories.ts";

export const SCOPES = ["user", "project", "local"] as const;

export type SettingsScope = (typeof SCOPES)[number];

/** Claude Code's settings file of a scope; `folder` is where Claude Code is started. */
export function settingsPath(scope: SettingsScope, folder: string, env: Environment): string {
  if (scope === "user") return join(claudeConfigDirectory(env), "settings.json");
  return join(folder, ".claude", scope === "project" ? "settings.json" : "settings.local.json");
}
