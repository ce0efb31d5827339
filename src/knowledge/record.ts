import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What the compiler knows about a base beside the base: which logs it has read and which articles are as it
 * wrote them. Lies in the base, so that a base that is shared or moved is not compiled again. Losing
 * it costs a compile and makes every article count as its owner's.
 */
export interface CompileRecord {
  logs: Readonly<Record<string, CompiledLog>>;
  articles: Readonly<Record<string, CompiledArticle>>;
  /** When a compile last wrote; ISO 8601. */
  compiledAt: string | null;
}

export interface CompiledLog {
  /** `logHash` when all of it had been compiled; `null` while parts are left. */
  hash: string | null;
  /** Hashes of the parts that were compiled. */
  parts: readonly string[];
}

export interface CompiledArticle {
  /** SHA-256 of the file as it was written. */
  hash: string;
  /** Somebody changed it since, or wrote it: what stands there is only added to. */
  edited: boolean;
  /** How many other articles link here. */
  linked: number;
}

/** Files beside the articles, relative to `knowledge/`. */
export const INDEX_FILE = "index.md";
export const LOG_FILE = "log.md";
export const RECORD_FILE = ".compiled.json";

const NO_RECORD: CompileRecord = { logs: {}, articles: {}, compiledAt: null };

/** Light: the session-start hook reads it too. A file that is missing, torn or foreign is no record. */
export function readRecord(knowledge: string): CompileRecord {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(knowledge, RECORD_FILE), "utf8"));
  } catch {
    return NO_RECORD;
  }
  if (!isObject(value)) return NO_RECORD;
  return {
    logs: mapObject(value["logs"], (log) => ({ hash: text(log["hash"]), parts: texts(log["parts"]) })),
    articles: mapObject(value["articles"], (article) => ({
      hash: text(article["hash"]) ?? "",
      edited: article["edited"] === true,
      linked: typeof article["linked"] === "number" ? article["linked"] : 0,
    })),
    compiledAt: text(value["compiledAt"]),
  };
}

export function renderRecord(record: CompileRecord): string {
  const sorted = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, compiledAt: record.compiledAt, logs: sorted(record.logs), articles: sorted(record.articles) }, null, 1)}\n`;
}

function mapObject<Value>(
  value: unknown,
  read: (entry: Record<string, unknown>) => Value,
): Record<string, Value> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) => (isObject(entry) ? [[name, read(entry)]] : [])),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}
