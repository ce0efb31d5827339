import type { Aged } from "./age.ts";
import { dateOf } from "./dates.ts";
import { ARCHIVE, type MemoryFiles } from "./directory.ts";
import { type Document, emptyDocument, isBlank, readDocument, withLines } from "./document.ts";
import { type Outline, labelsUsed, outlineOf, sectionNamed } from "./outline.ts";
import { takenLines } from "./removal.ts";

/** What enters an archive: entries of an index, with their dates. */
export interface ArchiveAddition {
  aged: readonly Aged[];
  index: Document;
  outline: Outline;
  /** `YYYY-MM-DD`: the section's day. */
  today: string;
}

/** The archive with entries added in the section of a day, the newest first. */
export function withSection(archive: Document, { aged, index, outline, today }: ArchiveAddition): Document {
  const title = `${today} Archive`;
  const known = outlineOf(archive);
  const section = sectionNamed(known, title);
  const sorted = aged.toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
  const items = sorted.filter(({ entry }) => entry.kind === "item");
  const tail = [
    ...tableLines(
      sorted.filter(({ entry }) => entry.kind === "row"),
      index,
    ),
    ...missingDefinitions(aged, index, outline, known),
  ];
  const lines = [...archive.lines];
  if (section === undefined) {
    if (lines.length === 0) lines.push("# Memory Archive");
    const added = ["", `## ${title}`, "", ...items.flatMap(({ entry }) => takenLines(index, entry)), ...tail];
    return withLines(archive, [...lines, ...added]);
  }
  const inSection = known.entries.filter(
    ({ kind, from }) => kind === "item" && section.body <= from && from < section.to,
  );
  const end = lastLine(archive, section);
  const places = new Map<number, string[]>();
  const put = (at: number, added: readonly string[]) => places.set(at, [...(places.get(at) ?? []), ...added]);
  const isUnderItem = (at: number) => inSection.some(({ to }) => to === at);
  for (const { entry, date } of items) {
    const older = inSection.find((other) => (dateOf(other, [])?.date ?? "") < date);
    const at = older?.from ?? end;
    // right under a table or a sentence, it would become part of that
    if (at === end && !places.has(end) && !isUnderItem(end)) put(end, [""]);
    put(at, takenLines(index, entry));
  }
  put(end, tail);
  const merged = Array.from({ length: lines.length + 1 }, (_, at) => [
    ...(places.get(at) ?? []),
    ...lines.slice(at, at + 1),
  ]);
  return withLines(archive, merged.flat());
}

/** The archive's path: an existing one keeps its spelling, for some disks know no case. */
export function archivePathOf(memory: MemoryFiles): string {
  return [...memory.files.keys()].find((path) => path.toLowerCase() === ARCHIVE) ?? ARCHIVE;
}

export function archiveOf(memory: MemoryFiles, path: string, eol: string): Document {
  const file = memory.files.get(path);
  return file === undefined ? emptyDocument(eol) : readDocument(file);
}

function missingDefinitions(
  aged: readonly Aged[],
  index: Document,
  outline: Outline,
  archive: Outline,
): string[] {
  const labels = new Set(aged.flatMap(({ entry }) => labelsUsed(outline, entry)));
  const lines = [...labels].flatMap((label) => {
    const range = outline.definitions.get(label);
    return range === undefined || archive.definitions.has(label) ? [] : takenLines(index, range);
  });
  return lines.length === 0 ? [] : ["", ...lines];
}

function tableLines(rows: readonly Aged[], index: Document): string[] {
  const blocks = new Map<number, Aged[]>();
  for (const row of rows) blocks.set(row.entry.block, [...(blocks.get(row.entry.block) ?? []), row]);
  return [...blocks.values()].flatMap((block) => {
    const head = block[0]?.entry.tableHead;
    return [
      "",
      ...(head ? takenLines(index, head) : []),
      ...block.flatMap(({ entry }) => takenLines(index, entry)),
    ];
  });
}

function lastLine(document: Document, section: { body: number; to: number }): number {
  let end = section.to;
  while (end > section.body && isBlank(document.lines[end - 1])) end--;
  return end;
}
