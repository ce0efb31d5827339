import type { TopicFacts } from "./directory.ts";
import { baseOf } from "./links.ts";
import { type Entry, titleOf } from "./outline.ts";

/** Where the date of an entry was found. */
export type DateSource = "end" | "title" | "text" | "file name" | "front matter" | "mtime";

export interface EntryDate {
  /** `YYYY-MM-DD` */
  date: string;
  source: DateSource;
}

/**
 * When an entry was written or last touched, by what its words say: a date at the end of its line, in its
 * title, in its text, in the name of its file, or in the front matter of its file. What is nested in the
 * entry counts where it is newer. `null` where nobody wrote a date; nothing is guessed.
 */
export function dateOf(entry: Entry, topics: readonly TopicFacts[]): EntryDate | null {
  const head = withoutTargets(entry.head);
  const written = newest(head);
  const own =
    found("end", END.exec(entry.head.replaceAll(CODE, " "))?.[1]) ??
    (written === undefined ? null : (found("title", newest(titleOf(entry))) ?? found("text", written))) ??
    found("file name", latest(entry.links.map(({ target }) => newestInName(target)))) ??
    found("front matter", latest(topics.map(writtenDate)));
  const nested = newest(withoutTargets(entry.nested));
  return own !== null && nested !== undefined && nested > own.date ? { date: nested, source: "text" } : own;
}

/** When a topic file says that it was last changed. */
export function modifiedDate({ fields }: TopicFacts): string | undefined {
  return latest(["modified", "updated", "last_updated", "last-updated"].map((key) => dateIn(fields?.[key])));
}

/** Whole days from a date to the day of `now`, in local time as people write dates. */
export function daysSince(date: string, now: Date): number {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Math.round((today - Date.UTC(year, month - 1, day)) / DAY_MS);
}

/** A moment as people write its day. */
export function localDate(moment: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

const DAY_MS = 86_400_000;
const END = /(?<!\d)(\d{4}-\d{2}-\d{2})[\s)\]*_.|✓✅]*$/u;
const ISO = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)/g;
const IN_NAME = /(?<!\d)((?:19|20)\d{2})([-_.]?)(\d{2})\2(\d{2})(?!\d)/g;
const CODE = /`[^`]*`/g;
const TARGET = /\]\([^)]*\)/g;

function writtenDate(topic: TopicFacts): string | undefined {
  return modifiedDate(topic) ?? latest(["date", "created"].map((key) => dateIn(topic.fields?.[key])));
}

function dateIn(value: unknown): string | undefined {
  return typeof value === "string" ? newest(value.slice(0, 10)) : undefined;
}

function withoutTargets(markdown: string): string {
  return markdown.replaceAll(CODE, " ").replaceAll(TARGET, "]");
}

function newest(text: string): string | undefined {
  return latest(Array.from(text.matchAll(ISO), ([date]) => date));
}

function newestInName(target: string): string | undefined {
  const name = baseOf(target);
  return latest(Array.from(name.matchAll(IN_NAME), ([, year, , month, day]) => `${year}-${month}-${day}`));
}

function latest(dates: readonly (string | undefined)[]): string | undefined {
  return dates
    .filter((date) => date !== undefined && isDay(date))
    .toSorted()
    .at(-1);
}

function found(source: DateSource, date: string | undefined): EntryDate | null {
  return date === undefined || !isDay(date) ? null : { date, source };
}

/** A day of the calendar: `2026-02-30` is none. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
