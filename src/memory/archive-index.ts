import { LINE_CAP, UNIT_CAP } from "./caps.ts";
import { dateOf } from "./dates.ts";
import type { MemoryFiles } from "./directory.ts";
import { type Document, isBlank, withLines } from "./document.ts";
import { topicFinder } from "./entry-topics.ts";
import {
  type Entry,
  type LineRange,
  type Outline,
  type Section,
  contains,
  isNamed,
  outlineOf,
  sectionNamed,
  titleOf,
} from "./outline.ts";
import { takenLines, withoutRanges } from "./removal.ts";

export const ARCHIVE_INDEX = "Archive Index";
/** Always the last section. */
export const TOPIC_FILES = "Topic Files";

/** What the index says of one archived entry. */
export interface Archived {
  title: string;
  /** `YYYY-MM-DD`, `null` where nobody wrote one. */
  date: string | null;
}

/** A line's titles stay readable, and few lines cost few of the 200. */
const LINE_UNITS = 400;
/** The share of either cap that the references may take. */
const SHARE = 0.1;
const SEPARATOR = " · ";

/**
 * The lines under the heading: every title, newest first, many to a line. Past a tenth of a cap the oldest
 * lines become a count with the months that they span.
 */
export function archiveIndexLines(archived: readonly Archived[], archivePath: string): string[] {
  const prefix = `- [Archive](${archivePath}) — `;
  const groups = packed(
    archived.toSorted((a, b) => compare(b.date ?? "", a.date ?? "")),
    LINE_UNITS - prefix.length,
  );
  let shown = groups.length;
  let lines = rendered(groups, shown, prefix);
  while (shown > 0 && isOverShare(lines)) lines = rendered(groups, --shown, prefix);
  return lines;
}

export function archiveIndexSections(outline: Outline): Section[] {
  return outline.sections.filter(({ title }) => isNamed(title, ARCHIVE_INDEX));
}

export interface Referenced {
  outline: Outline;
  /** Entries that leave the index. */
  aged: readonly { entry: Entry }[];
  archived: readonly Archived[];
  archivePath: string;
}

/** The index without the entries that left it, with one section that names all that the archive holds. */
export function withReferences(
  index: Document,
  { outline, aged, archived, archivePath }: Referenced,
): { document: Document; renewed: string[] } {
  const old = archiveIndexSections(outline);
  const references = outline.entries.filter(
    (entry) => old.some((section) => contains(section, entry)) && isReference(entry, archivePath, archived),
  );
  const foreign = old
    .map((section) => foreignLines(section, index.lines, references))
    .filter((lines) => lines.length > 0);
  const gone: LineRange[] = [...aged.map(({ entry }) => entry), ...old];
  const topics = sectionNamed(outline, TOPIC_FILES);
  const { before, after } = withoutRanges(index, outline, gone, topics?.from);
  while (before.length > 0 && isBlank(before.at(-1))) before.pop();
  const section = [
    `## ${ARCHIVE_INDEX}`,
    ...archiveIndexLines(archived, archivePath),
    ...foreign.flatMap((lines) => ["", ...lines]),
  ];
  const lines = [
    ...before,
    ...(before.length === 0 ? [] : [""]),
    ...section,
    ...(after.length === 0 ? [] : ["", ...after]),
  ];
  return {
    document: withLines(index, lines),
    renewed: [
      ...references.flatMap((entry) => takenLines(index, entry)),
      ...old.flatMap(({ from, body }) => takenLines(index, { from, to: body })),
    ],
  };
}

/** What the index must name: every entry of the archive. */
export function archivedTitles(memory: MemoryFiles, archive: Document, archivePath: string): Archived[] {
  const topicsOf = topicFinder(memory);
  return outlineOf(archive).entries.map((entry) => ({
    title: titleOf(entry),
    date: dateOf(entry, topicsOf(entry, archivePath))?.date ?? null,
  }));
}

/**
 * Whether an entry of the section is a reference of ours or of the hygiene seed's (`- [Archive] Title — …`),
 * which is made anew; anything else there is the person's.
 */
function isReference(entry: Entry, archivePath: string, archived: readonly Archived[]): boolean {
  if (entry.links.some(({ target }) => target === archivePath)) return true;
  const old = /^\[Archive\] (.+)$/s.exec(entry.text)?.[1];
  return (
    old !== undefined &&
    archived.some(({ title }) => old.startsWith(`${plain(title)} —`) || old === plain(title))
  );
}

/** What a section holds besides references: the person's own, as it stands there. */
function foreignLines(section: Section, lines: readonly string[], references: readonly Entry[]): string[] {
  const isReferenceLine = (at: number) => references.some(({ from, to }) => from <= at && at < to);
  const foreign = lines
    .slice(section.body, section.to)
    .filter((_, offset) => !isReferenceLine(section.body + offset));
  while (isBlank(foreign[0]) && foreign.length > 0) foreign.shift();
  while (isBlank(foreign.at(-1)) && foreign.length > 0) foreign.pop();
  return foreign;
}

function packed(archived: readonly Archived[], units: number): Archived[][] {
  const groups: Archived[][] = [];
  let room = 0;
  for (const entry of archived) {
    const needed = entry.title.length + SEPARATOR.length;
    if (needed > room || groups.length === 0) {
      groups.push([]);
      room = units + SEPARATOR.length;
    }
    groups.at(-1)?.push(entry);
    room -= needed;
  }
  return groups;
}

function rendered(groups: readonly Archived[][], shown: number, prefix: string): string[] {
  const lines = groups
    .slice(0, shown)
    .map((group) => prefix + group.map(({ title }) => title).join(SEPARATOR));
  const rest = groups.slice(shown).flat();
  return rest.length === 0 ? lines : [...lines, prefix + summary(rest)];
}

function summary(archived: readonly Archived[]): string {
  const months = archived.flatMap(({ date }) => (date === null ? [] : [date.slice(0, 7)])).toSorted();
  const count = archived.length === 1 ? "1 entry" : `${archived.length} entries`;
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined) return count;
  return first === last ? `${count}, ${first}` : `${count}, ${first} to ${last}`;
}

function isOverShare(lines: readonly string[]): boolean {
  const heading = `## ${ARCHIVE_INDEX}`.length + 1;
  const units = lines.reduce((sum, line) => sum + line.length + 1, heading);
  return units > SHARE * UNIT_CAP || lines.length + 1 > SHARE * LINE_CAP;
}

function plain(title: string): string {
  return title.replaceAll(/[`*_]/g, "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
