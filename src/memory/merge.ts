import type { Aged } from "./age.ts";
import { archiveIndexSections, archivedTitles, withReferences } from "./archive-index.ts";
import { archiveOf, archivePathOf, withSection } from "./archive-section.ts";
import { type Change, fileChange } from "./change.ts";
import { dateOf, localDate } from "./dates.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";
import { type Document, readDocument } from "./document.ts";
import { type Entry, type Outline, outlineOf } from "./outline.ts";
import { repeatsIn } from "./repeats.ts";

/** Entries that say the same, and what is to stand for them. */
export interface MergeGroup {
  entries: readonly Entry[];
  /** One of them word for word, or a line that a model wrote for all. */
  line: { kind: "kept"; entry: Entry } | { kind: "written"; text: string };
}

/** What a person sees of a group before it is written: the line that stands, and where it comes from. */
export interface MergedLine {
  text: string;
  by: "kept" | "model";
  /** In the index as it was; lines from 1. */
  from: readonly { line: number; text: string }[];
}

export type MergePlan =
  | { kind: "nothing" }
  | { kind: "merge"; change: Change; merged: readonly MergedLine[]; archivePath: string };

/** The entries of an index that may be merged: not the references of the archive. */
export function mergeableEntries(outline: Outline): Entry[] {
  const archiveSections = archiveIndexSections(outline);
  return outline.entries.filter(
    ({ from }) => !archiveSections.some((section) => section.from <= from && from < section.to),
  );
}

/** Without a model: entries that repeat each other, the newest of them standing for all, else the longest. */
export function repeatedGroups(entries: readonly Entry[]): MergeGroup[] {
  const ranked = entries.toSorted(bestFirst);
  const standsFor = new Map(repeatsIn(ranked.map(({ text }) => text)).map(({ of, repeat }) => [repeat, of]));
  return [...Map.groupBy(ranked, (_, place) => standsFor.get(place) ?? place).values()].flatMap((group) => {
    const [entry] = group;
    if (entry === undefined || group.length === 1) return [];
    return [{ entries: group.toSorted((a, b) => a.from - b.from), line: { kind: "kept", entry } }];
  });
}

/**
 * What folding those groups would write. What stands for a group keeps its place; every line that leaves the
 * index moves word for word to the archive, so that a merge loses no word and strands no file.
 */
export function planMerge(memory: MemoryFiles, groups: readonly MergeGroup[], now: Date): MergePlan {
  const file = memory.files.get(INDEX);
  if (file === undefined || groups.length === 0) return { kind: "nothing" };
  const index = readDocument(file);
  const outline = outlineOf(index);
  const leaving = groups.flatMap(({ entries, line }) =>
    line.kind === "kept" ? entries.filter((entry) => entry.from !== line.entry.from) : entries,
  );
  const archivePath = archivePathOf(memory);
  const archive = withSection(archiveOf(memory, archivePath, index.eol), {
    aged: leaving.map(agedAs),
    index,
    outline,
    today: localDate(now),
  });
  const written = withWritten(index, outline, groups);
  const { document, renewed } = withReferences(written.index, {
    outline: written.outline,
    aged: leaving.map((entry) => ({ entry: written.moved(entry) })),
    archived: archivedTitles(memory, archive, archivePath),
    archivePath,
  });
  return {
    kind: "merge",
    archivePath,
    change: {
      command: "merge",
      summary: `${leaving.length} entries folded into ${groups.length}`,
      files: [fileChange(memory, archivePath, archive), fileChange(memory, INDEX, document)],
      renewed,
    },
    merged: groups.map(({ entries, line }) => ({
      text: line.kind === "kept" ? line.entry.text : line.text,
      by: line.kind === "kept" ? "kept" : "model",
      from: entries.map((entry) => ({ line: entry.from + 1, text: entry.text })),
    })),
  };
}

function agedAs(entry: Entry): Aged {
  const date = dateOf(entry, []);
  return { entry, date: date?.date ?? "", source: date?.source ?? "text" };
}

function bestFirst(a: Entry, b: Entry): number {
  const [aDate, bDate] = [dateOf(a, [])?.date ?? "", dateOf(b, [])?.date ?? ""];
  if (aDate !== bDate) return aDate > bDate ? -1 : 1;
  return b.text.length - a.text.length || a.from - b.from;
}

interface Written {
  index: Document;
  outline: Outline;
  /** Where an entry of the index as it was stands now. */
  moved: (entry: Entry) => Entry;
}

/** Puts each line that a model wrote in front of the first entry that it stands for. */
function withWritten(index: Document, outline: Outline, groups: readonly MergeGroup[]): Written {
  const inserted = new Map<number, string>();
  for (const { entries, line } of groups) {
    if (line.kind !== "written") continue;
    const first = entries.reduce((a, b) => (b.from < a.from ? b : a));
    inserted.set(first.from, line.text + index.eol);
  }
  if (inserted.size === 0) return { index, outline, moved: (entry) => entry };
  const lines = index.lines.flatMap((line, at) => {
    const text = inserted.get(at);
    return text === undefined ? [line] : [text, line];
  });
  const places = [...inserted.keys()];
  const document = { ...index, lines };
  return {
    index: document,
    outline: outlineOf(document),
    moved: (entry) => {
      const by = places.filter((place) => place <= entry.from).length;
      return { ...entry, from: entry.from + by, to: entry.to + by };
    },
  };
}
