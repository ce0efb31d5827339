import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Exit, UserError, usageError } from "./errors.ts";
import { type Environment, type Paths, expandHome, resolvePaths } from "./paths.ts";

/** Where a setting's value was found; flags win over all of these and are the commands' own. */
export type Origin = "environment" | "config file" | "default";

/** Written as a number or as digits; what JavaScript would make a number of otherwise was not meant as one. */
const wholeNumber = (least: number, most: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : value),
    z
      .number(`not a whole number from ${least} to ${most}`)
      .int(`not a whole number from ${least} to ${most}`)
      .min(least, `less than ${least}`)
      .max(most, `more than ${most}`),
  );
const words = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .transform((list) => list.map((word) => word.trim()).filter((word) => word !== ""));

/** Every setting: what it accepts, its default and what it means. README's table is made from this. */
export const SETTINGS = {
  CLAUDE_MEM_DB: setting(
    z.string().min(1).optional(),
    undefined,
    "claude-mem's database; else `CLAUDE_MEM_DATA_DIR`, else `~/.claude-mem/claude-mem.db`",
  ),
  DIGEST_DB: setting(
    z.string().min(1).optional(),
    undefined,
    "our store; else `digests.db` in the XDG data directory",
  ),
  MERGE_MODEL: setting(
    z.string().min(1),
    "extractive",
    "`mock` · `extractive` · `haiku` · `sonnet` · `opus` · `claude-…` · `openai:MODEL`",
  ),
  KNOWLEDGE_MODEL: setting(
    z.string().min(1),
    "extractive",
    "the same words, for the knowledge compiler and memory merges",
  ),
  MAX_NEW_PER_RUN: setting(wholeNumber(1, 10_000), 40, "rows a batch (and at most 24,000 estimated tokens)"),
  MERGE_CONCURRENCY: setting(wholeNumber(1, 64), 4, "cells folded at once"),
  CELL_BUDGET: setting(wholeNumber(200, 1_000_000), 2400, "UTF-16 units a stored digest"),
  BLOCK_BUDGET: setting(
    wholeNumber(500, 9900),
    9500,
    "UTF-16 units a block; Claude Code replaces more than 10,000 by a preview",
  ),
  SESSION_MESSAGE: setting(
    z.enum(["off", "on"]),
    "off",
    "`on` shows the person one line at a session's start: what its block stands for and takes",
  ),
  MAX_CALLS_PER_RUN: setting(wholeNumber(0, 1_000_000), 100, "model calls a run"),
  MAX_CALLS_PER_DAY: setting(wholeNumber(0, 1_000_000), 200, "model calls a day"),
  MAX_INPUT_TOKENS_PER_DAY: setting(
    wholeNumber(0, 10_000_000_000),
    2_000_000,
    "estimated input tokens a day",
  ),
  MODEL_TIMEOUT_SECONDS: setting(
    wholeNumber(1, 86_400),
    300,
    "seconds that one model call of a merge may take; a knowledge compile's has twice as long",
  ),
  KNOWLEDGE_DIR: setting(
    z.string().min(1).optional(),
    undefined,
    "the knowledge base's folder; else one per project in the data directory",
  ),
  COMPILE_AFTER_HOUR: setting(
    wholeNumber(0, 24),
    18,
    "local hour after which a flush compiles the day's log",
  ),
  CAPTURE_TURNS: setting(
    wholeNumber(0, 1000),
    30,
    "turns of a session that its end or a compaction keeps for the knowledge base; 0 keeps nothing",
  ),
  CAPTURE_UNITS: setting(wholeNumber(500, 1_000_000), 15_000, "UTF-16 units of them"),
  CAPTURE_HEADLESS: setting(
    z.enum(["off", "on"]),
    "off",
    "`on` keeps headless sessions (`claude -p`, the SDKs), too",
  ),
  MAX_LINES: setting(
    wholeNumber(1, 100_000),
    50,
    "active lines of `MEMORY.md` over which `memory archive` acts",
  ),
  ARCHIVE_THRESHOLD_DAYS: setting(
    wholeNumber(1, 100_000),
    180,
    "age at which an entry of `MEMORY.md` is archived",
  ),
  MEMORY_AUTO_ARCHIVE: setting(
    z.enum(["off", "on"]),
    "off",
    "`on`: the prompt hook archives over the trigger by itself; else it says so once a session",
  ),
  SETTLE_MINUTES: setting(wholeNumber(0, 100_000), 0, "leave rows younger than this for the next run"),
  CONCEPTS: setting(
    words.transform((list) => [...new Set(list.map(asTag))]).pipe(z.array(z.string()).min(1).max(30)),
    [
      "decision",
      "gotcha",
      "trade-off",
      "problem-solution",
      "pattern",
      "why-it-exists",
      "how-it-works",
      "what-changed",
    ],
    "the cell types, most specific first; rows that match none go to `other`",
  ),
  ASSIGN: setting(
    z.enum(["primary", "all"]),
    "primary",
    "a row goes to its most specific cell alone, or to `all` of its cells at a multiple of the cost",
  ),
  EXCLUDED_PROJECTS: setting(
    words,
    [],
    "globs of project names to leave out, besides claude-mem's own `CLAUDE_MEM_EXCLUDED_PROJECTS`",
  ),
  EXCLUDED_TYPES: setting(words, ["sensitive"], "claude-mem types to leave out"),
} as const;

export type SettingName = keyof typeof SETTINGS;

export type Config = {
  readonly [Name in Exclude<SettingName, "DIGEST_DB">]: z.output<(typeof SETTINGS)[Name]["schema"]>;
} & {
  readonly DIGEST_DB: string;
  readonly paths: Paths;
  /** Where each value came from, for `doctor`. */
  readonly origins: Readonly<Record<SettingName, Origin>>;
  /** Keys of `config.json` that are no setting: misspelt, or a newer version's. */
  readonly strangers: readonly string[];
  /** The process's environment, for the few parts that hand it to a child or ask for foreign names. */
  readonly env: Environment;
};

/**
 * Reads the environment and `config.json`, environment first. Throws a usage error that names the
 * setting and what it accepts.
 */
export function loadConfig(env: Environment = process.env): Config {
  const paths = resolvePaths(env);
  const file = readConfigFile(join(paths.config, "config.json"));
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const [raw, origin] = found(name, env, file);
    origins[name] = origin;
    values[name] = parseSetting(name, raw, origin);
  }
  for (const name of ["CLAUDE_MEM_DB", "DIGEST_DB", "KNOWLEDGE_DIR"]) {
    const path = values[name];
    if (typeof path === "string") values[name] = expandHome(path, env);
  }
  values["DIGEST_DB"] ??= join(paths.data, "digests.db");
  const strangers = Object.keys(file).filter((name) => !Object.hasOwn(SETTINGS, name));
  return { ...values, paths, origins, strangers, env } as unknown as Config;
}

/** Checks one value by hand, for flags that stand for a setting. */
export function parseSetting<Name extends SettingName>(
  name: Name,
  raw: unknown,
  origin: string,
): Config[Name] {
  const result = SETTINGS[name].schema.safeParse(raw);
  if (result.success) return result.data as Config[Name];
  const issue = result.error.issues[0]?.message ?? "invalid";
  throw usageError(
    "bad-setting",
    `${name} (${origin}) is ${JSON.stringify(raw)}: ${issue}`,
    `${name}: ${SETTINGS[name].meaning}`,
  );
}

/** As the tags of rows are normalised, so that a vocabulary in a person's own spelling finds them. */
function asTag(word: string): string {
  return word.toLowerCase().replace(/[\s_]+/g, "-");
}

function setting<Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>, meaning: string) {
  return { schema, fallback, meaning };
}

function found(name: SettingName, env: Environment, file: Record<string, unknown>): [unknown, Origin] {
  const fromEnvironment = env[name];
  if (fromEnvironment !== undefined && fromEnvironment !== "") return [fromEnvironment, "environment"];
  if (file[name] !== undefined) return [file[name], "config file"];
  return [SETTINGS[name].fallback, "default"];
}

function readConfigFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
    throw new UserError({
      code: "config-unreadable",
      message: `cannot read ${path}`,
      hint: "check its permissions",
      exit: Exit.environment,
      cause,
    });
  }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (cause) {
    throw new UserError({
      code: "config-invalid",
      message: `${path} is not a JSON object`,
      hint: "mend it or move it away; the defaults need no file",
      exit: Exit.usage,
      cause,
    });
  }
}
