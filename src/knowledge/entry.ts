import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../text/files.ts";
import { localDay, localTime } from "./day.ts";
import { NOTHING, type Notes, renderNotes } from "./notes.ts";

/** One stretch of a session on its way into a daily log. */
export interface DailyEntry {
  session: string;
  /** Stands for exactly these messages; the same stretch never stands in a log twice. */
  turns: string;
  /** When the stretch ended; the local day says which log it belongs to. */
  at: Date;
  notes: Notes | typeof NOTHING;
}

/**
 * Adds an entry to its day's log, whole, unless it stands there already. Only one process at a time may
 * do this: the caller holds the flush lock. Returns the log's path.
 */
export function appendEntry(daily: string, entry: DailyEntry): string {
  const day = localDay(entry.at);
  const path = join(daily, `${day}.md`);
  const log = existsSync(path) ? readFileSync(path, "utf8") : `# Daily Log: ${day}\n\n## Sessions\n`;
  const anchor = anchorOf(entry);
  if (log.includes(anchor)) return path;
  replaceFile(path, `${log.trimEnd()}\n\n${renderEntry(entry, anchor)}\n`);
  return path;
}

export function holdsEntry(daily: string, entry: Pick<DailyEntry, "session" | "turns" | "at">): boolean {
  const path = join(daily, `${localDay(entry.at)}.md`);
  return existsSync(path) && readFileSync(path, "utf8").includes(anchorOf(entry));
}

function anchorOf(entry: Pick<DailyEntry, "session" | "turns">): string {
  return `<!-- session:${entry.session} turns:${entry.turns} -->`;
}

function renderEntry(entry: DailyEntry, anchor: string): string {
  const time = localTime(entry.at);
  return entry.notes === NOTHING
    ? `### Memory Flush (${time})\n${anchor}\n${NOTHING}`
    : `### Session (${time})\n${anchor}\n${renderNotes(entry.notes)}`;
}
