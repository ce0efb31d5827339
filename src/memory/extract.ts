import { clipLine, oneLine } from "../text/sentences.ts";
import { ARCHIVE_INDEX, TOPIC_FILES } from "./archive-index.ts";
import { type Change, fileChange } from "./change.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";
import { type Document, emptyDocument, isBlank, readDocument, withLines } from "./document.ts";
import { baseOf, frontMatterName, stemOf } from "./links.ts";
import { type Outline, type Section, contains, outlineOf, sectionNamed } from "./outline.ts";
import { takenLines, withoutRanges } from "./removal.ts";

/** A section with more lines than this has outgrown an index. */
export const OVERSIZE_LINES = 15;
/** One with fewer is not worth a file. */
export const LEAST_LINES = 5;

export interface ExtractRules {
  now: Date;
  /** The titles that a person asked for; `null`: every section over `OVERSIZE_LINES`. */
  sections: readonly string[] | null;
}

export interface Extracted {
  title: string;
  /** Of the heading, in the index as it was, from 1. */
  line: number;
  lines: number;
  path: string;
  summary: string;
}

export interface NotExtracted {
  title: string;
  line: number;
  lines: number;
  reason:
    | "too short"
    | "topic file exists"
    | "shares link definitions"
    | "no such section"
    | "is the index itself";
  /** The topic file that it could go into. */
  related?: string;
}

export type ExtractPlan =
  | { kind: "nothing"; skipped: readonly NotExtracted[] }
  | { kind: "extract"; change: Change; extracted: readonly Extracted[]; skipped: readonly NotExtracted[] };

const SUMMARY_UNITS = 100;

/** Which sections would become topic files, each moved word for word, with one line in `## Topic Files` in its place. */
export function planExtract(memory: MemoryFiles, rules: ExtractRules): ExtractPlan {
  const file = memory.files.get(INDEX);
  if (file === undefined) return { kind: "nothing", skipped: [] };
  const index = readDocument(file);
  const outline = outlineOf(index);
  const { chosen, skipped } = chooseSections(index, outline, rules);
  const extracted: (Extracted & { section: Section })[] = [];
  for (const section of chosen) {
    const kept = reasonToKeep(section, { memory, outline });
    const size = { title: section.title, line: section.from + 1, lines: activeLines(index, section) };
    if (kept !== null) skipped.push({ ...size, ...kept });
    else extracted.push({ ...size, section, path: pathFor(section), summary: summaryOf(index, section) });
  }
  if (extracted.length === 0) return { kind: "nothing", skipped };
  const topics = extracted.map(({ section, path, summary }) =>
    fileChange(memory, path, topicDocument(index, section, { path, summary, now: rules.now })),
  );
  return {
    kind: "extract",
    extracted: extracted.map(({ section: _, ...rest }) => rest),
    skipped,
    change: {
      command: "extract",
      summary: `${extracted.length === 1 ? `section ${JSON.stringify(extracted[0]?.title)}` : `${extracted.length} sections`} to topic files`,
      files: [...topics, fileChange(memory, INDEX, withLinks(index, outline, extracted))],
      renewed: [],
    },
  };
}

/** Sections that have outgrown the index: not those that are lists of links, which are what an index is for. */
export function oversizeSections(index: Document, outline: Outline): { section: Section; lines: number }[] {
  const all = outline.sections
    .filter((section) => section.depth > 1 && !isIndexSection(section, outline))
    .map((section) => ({ section, lines: activeLines(index, section) }))
    .filter(({ lines }) => lines > OVERSIZE_LINES);
  return all.filter(
    ({ section }) => !all.some((other) => other.section !== section && contains(section, other.section)),
  );
}

function chooseSections(
  index: Document,
  outline: Outline,
  { sections }: ExtractRules,
): { chosen: Section[]; skipped: NotExtracted[] } {
  if (sections === null) {
    return { chosen: oversizeSections(index, outline).map(({ section }) => section), skipped: [] };
  }
  const chosen: Section[] = [];
  const skipped: NotExtracted[] = [];
  for (const title of sections) {
    const section = sectionNamed(outline, title);
    if (section === undefined) {
      skipped.push({ title, line: 0, lines: 0, reason: "no such section" });
      continue;
    }
    const lines = activeLines(index, section);
    const isIndex = [TOPIC_FILES, ARCHIVE_INDEX].some((name) =>
      overlaps(section, sectionNamed(outline, name)),
    );
    if (isIndex) skipped.push({ title, line: section.from + 1, lines, reason: "is the index itself" });
    else if (lines < LEAST_LINES) skipped.push({ title, line: section.from + 1, lines, reason: "too short" });
    else if (!chosen.some((other) => contains(other, section) || contains(section, other)))
      chosen.push(section);
  }
  return { chosen: chosen.toSorted((a, b) => a.from - b.from), skipped };
}

function isIndexSection(section: Section, outline: Outline): boolean {
  if ([TOPIC_FILES, ARCHIVE_INDEX].some((name) => overlaps(section, sectionNamed(outline, name))))
    return true;
  const entries = outline.entries.filter(({ from, to }) => section.from <= from && to <= section.to);
  const linking = entries.filter(({ links }) => links.some(({ target }) => !/^[a-z]+:/i.test(target)));
  return linking.length * 2 > entries.length;
}

interface Surroundings {
  memory: MemoryFiles;
  outline: Outline;
}

/** Never overwrites a file, and never tears a link from its definition. */
function reasonToKeep(
  section: Section,
  { memory, outline }: Surroundings,
): Pick<NotExtracted, "reason" | "related"> | null {
  const related = relatedTopic(section, memory);
  if (related !== null) return { reason: "topic file exists", related };
  const inside = (line: number) => section.from <= line && line < section.to;
  const torn = outline.references.some(({ label, line }) => {
    const definition = outline.definitions.get(label);
    return definition !== undefined && inside(line) !== inside(definition.from);
  });
  return torn ? { reason: "shares link definitions" } : null;
}

/** A file whose name, or whose front matter's name, is the section's or part of it. */
function relatedTopic(section: Section, memory: MemoryFiles): string | null {
  const slug = slugOf(section.title);
  const own = pathFor(section).toLowerCase();
  for (const file of memory.files.values()) {
    if (file.path === INDEX) continue;
    if (file.path.toLowerCase() === own || slugOf(stemOf(file.path)) === slug) return file.path;
    const name = frontMatterName(file);
    if (name !== null && slugOf(name) === slug) return file.path;
  }
  return null;
}

function pathFor(section: Section): string {
  return `${slugOf(section.title) || "topic"}.md`;
}

/** Lower-case kebab-case, by topic: a date in the heading is left out, for nobody looks for a file by its day. */
function slugOf(title: string): string {
  const slug = title
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, " ")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  return slug.length <= SLUG_UNITS ? slug : slug.slice(0, SLUG_UNITS).replace(/-[^-]*$/, "");
}

const SLUG_UNITS = 60;

function summaryOf(index: Document, section: Section): string {
  const words = index.lines
    .slice(section.body, section.to)
    .map((line) =>
      oneLine(
        line
          .replace(/^\s*(?:[-*+]|\d+[.)]|#+|>)\s+(?:\[[ xX]\]\s+)?/, "")
          .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"),
      ),
    )
    .filter((line) => /\p{L}/u.test(line) && !line.startsWith("|") && !line.startsWith("<!--"));
  return clipLine(words.join("; ") || section.title, SUMMARY_UNITS).replace(/[;,:]…$/, "…");
}

function topicDocument(
  index: Document,
  section: Section,
  { path, summary, now }: { path: string; summary: string; now: Date },
): Document {
  const body = [...takenLines(index, section)];
  while (isBlank(body.at(-1)) && body.length > 0) body.pop();
  const lines = [
    "---",
    `name: ${stemOf(baseOf(path))}`,
    `description: ${JSON.stringify(summary)}`,
    "type: project",
    `modified: ${now.toISOString()}`,
    "---",
    "",
    ...body,
  ];
  const document = emptyDocument(index.eol);
  return { ...document, lines: lines.map((line) => line + index.eol) };
}

function withLinks(
  index: Document,
  outline: Outline,
  extracted: readonly (Extracted & { section: Section })[],
): Document {
  const links = extracted.map(({ path, summary }) => `- [${path}](${path}) — ${summary}`);
  const topics = sectionNamed(outline, TOPIC_FILES);
  const gone = extracted.map(({ section }) => section);
  if (topics === undefined) {
    const { before: kept } = withoutRanges(index, outline, gone);
    while (kept.length > 0 && isBlank(kept.at(-1))) kept.pop();
    return withLines(index, [...kept, "", `## ${TOPIC_FILES}`, ...links]);
  }
  let end = topics.to;
  while (end > topics.body && isBlank(index.lines[end - 1])) end--;
  const { before, after } = withoutRanges(index, outline, gone, end);
  const apart = endsInParagraph(index, topics, end) ? [""] : [];
  return withLines(index, [...before, ...apart, ...links, ...after]);
}

/** A link put right under a sentence would become part of it. */
function endsInParagraph(index: Document, topics: Section, end: number): boolean {
  const last = index.lines[end - 1] ?? "";
  return end > topics.body && !/^\s*(?:[-*+]|\d+[.)])\s/.test(last);
}

function activeLines(index: Document, { body, to }: Section): number {
  return index.lines.slice(body, to).filter((line) => !isBlank(line)).length;
}

function overlaps(section: Section, other: Section | undefined): boolean {
  return other !== undefined && section.from < other.to && other.from < section.to;
}
