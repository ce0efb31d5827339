import { readFileSync } from "node:fs";
import { type Environment, expandHome, resolvePaths } from "../paths.ts";

/** The settings that a hook needs, resolved as `loadConfig` resolves them. */
export interface HookSettings {
  digestDb: string;
  blockBudget: number;
  mergeModel: string;
  knowledgeModel: string;
  /** As written, for a folder of the user's choice; `null`: each project has its own. */
  knowledgeDir: string | null;
  captureTurns: number;
  captureUnits: number;
  captureHeadless: boolean;
  excludedProjects: readonly string[];
  /** A line for the person at the start of a session. */
  sessionMessage: boolean;
  maxLines: number;
  archiveThresholdDays: number;
  /** The person chose that an index over its trigger is archived without being asked again. */
  memoryAutoArchive: boolean;
}

/**
 * The environment, then `config.json`, then the defaults, without the validating library that
 * config.ts has: loading that takes longer than all the rest of a hook. What the command line would refuse
 * counts as absent here; `doctor` names it.
 */
export function readHookSettings(env: Environment): HookSettings {
  const paths = resolvePaths(env);
  const file = readConfigFile(`${paths.config}/config.json`);
  const setting = (name: string) => env[name] || file[name];
  return {
    digestDb: expandHome(text(setting("DIGEST_DB")) ?? `${paths.data}/digests.db`, env),
    blockBudget: wholeNumber(setting("BLOCK_BUDGET"), 500, 9900) ?? 9500,
    mergeModel: text(setting("MERGE_MODEL")) ?? "extractive",
    knowledgeModel: text(setting("KNOWLEDGE_MODEL")) ?? "extractive",
    knowledgeDir: text(setting("KNOWLEDGE_DIR")) ?? null,
    captureTurns: wholeNumber(setting("CAPTURE_TURNS"), 0, 1000) ?? 30,
    captureUnits: wholeNumber(setting("CAPTURE_UNITS"), 500, 1_000_000) ?? 15_000,
    captureHeadless: setting("CAPTURE_HEADLESS") === "on",
    excludedProjects: words(setting("EXCLUDED_PROJECTS")),
    sessionMessage: setting("SESSION_MESSAGE") === "on",
    maxLines: wholeNumber(setting("MAX_LINES"), 1, 100_000) ?? 50,
    archiveThresholdDays: wholeNumber(setting("ARCHIVE_THRESHOLD_DAYS"), 1, 100_000) ?? 180,
    memoryAutoArchive: setting("MEMORY_AUTO_ARCHIVE") === "on",
  };
}

function readConfigFile(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {}; // none, or one that the command line complains about
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function words(value: unknown): string[] {
  const list: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return list.flatMap((word) => (typeof word === "string" && word.trim() !== "" ? [word.trim()] : []));
}

function wholeNumber(value: unknown, least: number, most: number): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}
