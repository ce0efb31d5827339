import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Environment, expandHome, homeDirectory } from "../paths.ts";

/** Where claude-mem's database is, and how we came to think so. */
export interface Location {
  path: string;
  /** For people: `CLAUDE_MEM_DB`, `the default folder`, … */
  why: string;
  settings: ClaudeMemSettings;
}

/** Of claude-mem's `settings.json`, what concerns us; its environment variables win over the file, as there. */
export interface ClaudeMemSettings {
  path: string;
  /** Globs of folders that claude-mem leaves out. */
  excludedFolders: readonly string[];
  /** Why the file could not be used, though it is there. */
  problem: string | null;
}

/**
 * The database that claude-mem itself would open: `configured` (CLAUDE_MEM_DB) where given, else in
 * CLAUDE_MEM_DATA_DIR of the environment, else of `~/.claude-mem/settings.json`, else in `~/.claude-mem`.
 */
export function locateSource(configured: string | undefined, env: Environment): Location {
  const { folder, why } = dataFolder(env);
  const settings = claudeMemSettings(folder, env);
  if (configured !== undefined) return { path: resolve(configured), why: "CLAUDE_MEM_DB", settings };
  return { path: join(folder, "claude-mem.db"), why, settings };
}

function dataFolder(env: Environment): { folder: string; why: string } {
  const fromEnvironment = env["CLAUDE_MEM_DATA_DIR"];
  if (fromEnvironment) {
    return {
      folder: resolve(expandHome(fromEnvironment, env)),
      why: "CLAUDE_MEM_DATA_DIR in the environment",
    };
  }
  const folder = join(homeDirectory(env), ".claude-mem");
  const file = join(folder, "settings.json");
  const fromFile = readSettings(file).values["CLAUDE_MEM_DATA_DIR"];
  if (typeof fromFile === "string" && fromFile !== "") {
    return { folder: resolve(expandHome(fromFile, env)), why: `CLAUDE_MEM_DATA_DIR in ${file}` };
  }
  return { folder, why: "claude-mem's default folder" };
}

function claudeMemSettings(folder: string, env: Environment): ClaudeMemSettings {
  const path = join(folder, "settings.json");
  const { values, problem } = readSettings(path);
  const excluded = env["CLAUDE_MEM_EXCLUDED_PROJECTS"] ?? values["CLAUDE_MEM_EXCLUDED_PROJECTS"];
  return { path, excludedFolders: globsOf(excluded), problem };
}

/** claude-mem writes one text with commas; people also write arrays. */
function globsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split(",") : [];
  return list.map((glob) => glob.trim()).filter((glob) => glob !== "");
}

/** The settings lie flat, in older files under `env`. A file that is not there has none. */
function readSettings(path: string): { values: Record<string, unknown>; problem: string | null } {
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
    if (!isRecord(file)) return { values: {}, problem: "it is not a JSON object" };
    return { values: isRecord(file["env"]) ? file["env"] : file, problem: null };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { values: {}, problem: null };
    return { values: {}, problem: error instanceof Error ? error.message : String(error) };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
