import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A part of a log under its `### ` heading. */
export interface LogPart {
  text: string;
  /** SHA-256 of the part. */
  hash: string;
}

/** Every log of a base by its name relative to `daily/`, oldest first: `2026-04-01.md`, `alice/2026-04-01.md`. */
export function listLogs(daily: string): string[] {
  if (!existsSync(daily)) return [];
  return readdirSync(daily, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^\d{4}-\d{2}-\d{2}.*\.md$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(daily.length + 1)
        .replaceAll("\\", "/"),
    )
    .toSorted((a, b) => (dayOf(a) + a < dayOf(b) + b ? -1 : 1));
}

/** The day that a log's name says. */
export function dayOf(log: string): string {
  return /\d{4}-\d{2}-\d{2}(?=[^/]*$)/.exec(log)?.[0] ?? "";
}

/** What decides whether a log is compiled again: SHA-256 of the log without its placeholders. */
export function logHash(log: string): string {
  const kept = partsOf(log).filter((part) => !isPlaceholder(part));
  return sha256(`${kept.join("").trimEnd()}\n`);
}

/** The parts of a log that say something, in order; what a person wrote above the first heading is one, too. */
export function logParts(log: string): LogPart[] {
  const [above = "", ...entries] = partsOf(log.startsWith("### ") ? `\n${log}` : log);
  const said = above.split("\n").some((line) => line.trim() !== "" && !/^#{1,2}\s/.test(line));
  return [...(said ? [above] : []), ...entries]
    .filter((part) => !isPlaceholder(part))
    .map((part) => ({ text: part.trim(), hash: sha256(part.trim()) }));
}

function partsOf(log: string): string[] {
  return log.split(/^(?=### )/m);
}

function isPlaceholder(part: string): boolean {
  return part.startsWith("### Memory Flush");
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
