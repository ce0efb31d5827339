import { archiveIndexSections } from "./archive-index.ts";
import { type DateSource, dateOf, daysSince, localDate, modifiedDate } from "./dates.ts";
import { INDEX, type MemoryFiles, type TopicFacts } from "./directory.ts";
import { type Document } from "./document.ts";
import { pathFinder, topicFinder } from "./entry-topics.ts";
import { type Entry, type Outline, contains, labelsUsed, outlineOf, titleOf } from "./outline.ts";

export interface ArchiveRules {
  now: Date;
  /** Active lines over which something is done. */
  maxLines: number;
  /** Usage from which on something is done, however few the lines. */
  triggerUsage: number;
  /** Entries older than so many days leave. */
  thresholdDays: number;
  /** Milliseconds of a topic file's last change, where the person wants those to count as dates. */
  mtimeOf?: (path: string) => number | undefined;
}

export interface Aged {
  entry: Entry;
  date: string;
  source: DateSource;
}

export interface KeptEntry {
  title: string;
  line: number;
  reason: "undated" | "young" | "recently modified" | "linked by a younger entry" | "shares link definitions";
}

interface Dated {
  entry: Entry;
  date: { date: string; source: DateSource } | null;
  topics: readonly TopicFacts[];
}

/** Which entries are old enough to leave, and why each other one stays. */
export function sortByAge(
  memory: MemoryFiles,
  outline: Outline,
  { rules, archive }: { rules: ArchiveRules; archive: Document },
): { aged: Aged[]; kept: KeptEntry[] } {
  const topicsOf = topicFinder(memory);
  const pathsOf = pathFinder(memory);
  const archiveSections = archiveIndexSections(outline);
  const dated: Dated[] = outline.entries
    .filter((entry) => !archiveSections.some((section) => contains(section, entry)))
    .map((entry) => {
      const topics = topicsOf(entry, INDEX);
      return { entry, topics, date: dateOf(entry, topics) ?? mtimeDate(pathsOf(entry, INDEX), rules) };
    });
  const isOld = ({ date }: Dated) => date !== null && daysSince(date.date, rules.now) > rules.thresholdDays;
  const linkedByYounger = new Set(
    dated.filter((one) => one.date !== null && !isOld(one)).flatMap(({ entry }) => pathsOf(entry, INDEX)),
  );
  const known = outlineOf(archive);
  const aged: Aged[] = [];
  const kept: KeptEntry[] = [];
  for (const one of dated) {
    const { entry, date, topics } = one;
    const keep = (reason: KeptEntry["reason"]) =>
      kept.push({ title: titleOf(entry), line: entry.from + 1, reason });
    if (date === null) keep("undated");
    else if (!isOld(one)) keep("young");
    else if (topics.some((topic) => isRecent(modifiedDate(topic), rules))) keep("recently modified");
    else if (pathsOf(entry, INDEX).some((path) => linkedByYounger.has(path)))
      keep("linked by a younger entry");
    else if (labelsUsed(outline, entry).some((label) => conflicts(label, outline, known)))
      keep("shares link definitions");
    else aged.push({ entry, ...date });
  }
  return { aged, kept };
}

function isRecent(date: string | undefined, { now, thresholdDays }: ArchiveRules): boolean {
  return date !== undefined && daysSince(date, now) <= thresholdDays;
}

function mtimeDate(
  paths: readonly string[],
  { mtimeOf }: ArchiveRules,
): { date: string; source: DateSource } | null {
  const times = paths.flatMap((path) => mtimeOf?.(path) ?? []);
  return times.length === 0 ? null : { date: localDate(new Date(Math.max(...times))), source: "mtime" };
}

/** A definition that the archive already has for something else cannot go with the entry; a footnote's text neither. */
function conflicts(label: string, outline: Outline, archive: Outline): boolean {
  return label.startsWith("^") ? outline.definitions.has(label) : archive.definitions.has(label);
}
