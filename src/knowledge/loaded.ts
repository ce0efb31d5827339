import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LockOutcome, acquireLock } from "../text/lock.ts";
import { type Article, readArticles, sha256 } from "./article.ts";
import type { Base } from "./base.ts";
import { type Index, parseIndex } from "./catalog.ts";
import { recoverBase } from "./commit.ts";
import { listLogs, logHash, logParts } from "./daily.ts";
import { type CompileRecord, INDEX_FILE, readRecord } from "./record.ts";

/** A base as it is on disk at one moment. */
export interface LoadedBase {
  base: Base;
  articles: readonly Article[];
  /** Texts of the daily logs by their name relative to `daily/`, oldest first. */
  logs: ReadonlyMap<string, string>;
  index: Index;
  record: CompileRecord;
}

export function loadBase(base: Base): LoadedBase {
  const logs = listLogs(base.daily).map(
    (name) => [name, readFileSync(join(base.daily, name), "utf8")] as const,
  );
  return {
    base,
    articles: readArticles(base.knowledge),
    logs: new Map(logs),
    index: parseIndex(readText(join(base.knowledge, INDEX_FILE)) ?? ""),
    record: readRecord(base.knowledge),
  };
}

/**
 * The right to write into a base, with what a killed process left finished or taken back first.
 * `waitMs` as in `acquireLock`.
 */
export function lockBase(base: Base, state: string, waitMs = 0): LockOutcome {
  const name = sha256(base.root).slice(0, 16);
  const lock = acquireLock(join(state, "knowledge", "locks", name), waitMs);
  if (lock.kind === "held") recoverBase(base.knowledge);
  return lock;
}

/** Finishes or takes back what a killed process left, unless somebody is writing right now. */
export function settleBase(base: Base, state: string): void {
  if (!existsSync(base.knowledge)) return;
  const lock = lockBase(base, state);
  if (lock.kind === "held") lock.release();
}

/** Logs with something in them that differ from what was last compiled, oldest first. */
export function changedLogs({ logs, record }: Pick<LoadedBase, "logs" | "record">): string[] {
  return [...logs].flatMap(([name, text]) =>
    logParts(text).length > 0 && record.logs[name]?.hash !== logHash(text) ? [name] : [],
  );
}

/** Whether a person wrote or changed a page since the compiler last did. */
export function isEdited({ path, hash }: Article, record: CompileRecord): boolean {
  const known = record.articles[path];
  return known === undefined || known.edited || known.hash !== hash;
}

/** Paths of all of those. */
export function editedPaths({ articles, record }: Pick<LoadedBase, "articles" | "record">): Set<string> {
  return new Set(articles.filter((article) => isEdited(article, record)).map(({ path }) => path));
}

export function readText(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}
