import { type Change, fileChange } from "./change.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";
import { lineText, readDocument } from "./document.ts";
import type { Decision } from "./gate.ts";
import { baseOf, stemOf } from "./links.ts";
import { type Entry, outlineOf, titleOf } from "./outline.ts";

type Absorbed = Extract<Decision, { kind: "absorbed" }>;

/** The entry that a decision names by its title or by its file; `undefined` where the index has none. */
export function absorbingEntry(entries: readonly Entry[], { entry: wanted }: Absorbed): Entry | undefined {
  const name = wanted.trim().toLowerCase();
  return (
    entries.find((entry) => titleOf(entry).toLowerCase() === name) ??
    entries.find(({ links }) =>
      links.some(({ target }) =>
        [target, baseOf(target), stemOf(target)].some((word) => word.toLowerCase() === name),
      ),
    ) ??
    entries.find(({ text }) => text.toLowerCase().includes(name))
  );
}

/** Writes `— absorbed NAME.md` behind the entries that took files over; `null` where every mark is there. */
export function planMarks(memory: MemoryFiles, decisions: readonly Absorbed[]): Change | null {
  const file = memory.files.get(INDEX);
  if (file === undefined) return null;
  const index = readDocument(file);
  const { entries } = outlineOf(index);
  const lines = [...index.lines];
  const renewed: string[] = [];
  for (const decision of decisions) {
    const mark = ` — absorbed ${decision.name}`;
    const entry = absorbingEntry(entries, decision);
    const line = entry === undefined ? undefined : lines[entry.from];
    if (entry === undefined || line === undefined || line.includes(mark)) continue;
    const text = lineText(line);
    renewed.push(lineText(index.lines[entry.from] ?? ""));
    lines[entry.from] = text.trimEnd() + mark + line.slice(text.length);
  }
  if (renewed.length === 0) return null;
  return {
    command: "gate",
    summary: `marked ${renewed.length === 1 ? "an entry" : `${renewed.length} entries`} as absorbing`,
    files: [fileChange(memory, INDEX, { ...index, lines })],
    renewed,
  };
}
