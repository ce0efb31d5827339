import { type Document, isBlank, lineText } from "./document.ts";
import type { Entry, LineRange, Outline } from "./outline.ts";

/** What is left of a document, in two parts: the lines before some line of it, and those from there on. */
export interface Remains {
  before: string[];
  after: string[];
}

/**
 * A document's lines without the given ranges, parted at the line `at`. No line that stays is changed; blank
 * lines around a gap become one, and one is put where two blocks would otherwise run together.
 */
export function withoutRanges(
  document: Document,
  { entries }: Pick<Outline, "entries">,
  ranges: readonly LineRange[],
  at = document.lines.length,
): Remains {
  const gone = new Set(
    ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, offset) => from + offset)),
  );
  const blockAt = blocksByLine(entries);
  const before: string[] = [];
  const after: string[] = [];
  let last: { line: number; text: string } | null = null;
  let gap = false;
  for (const [line, text] of document.lines.entries()) {
    if (gone.has(line)) {
      gap = true;
      continue;
    }
    if (gap && isBlank(text) && isBlank(last?.text)) continue;
    const part: string[] = line < at ? before : after;
    if (gap && last !== null && runTogether(last.text, text)) {
      const block = blockAt.get(last.line);
      if (block === undefined || block !== blockAt.get(lastGone(gone, line))) part.push(document.eol);
    }
    gap = false;
    part.push(text);
    last = { line, text };
  }
  const first = before.length > 0 ? before : after;
  if (startsAsFrontMatter(document.lines, first)) first.unshift(document.eol);
  return { before, after };
}

/** A heading stands apart from what follows, and so does what a blank line parts. */
function runTogether(above: string, below: string): boolean {
  return !isBlank(above) && !isBlank(below) && !/^#{1,6}\s/.test(above);
}

/** Lines for another document: moved word for word, with its endings. */
export function takenLines(document: Document, { from, to }: LineRange): string[] {
  return document.lines.slice(from, to).map(lineText);
}

function blocksByLine(entries: readonly Entry[]): Map<number, number> {
  const blocks = new Map<number, number>();
  for (const { from, to, block, tableHead } of entries) {
    for (const range of [{ from, to }, tableHead ?? { from, to }]) {
      for (let line = range.from; line < range.to; line++) blocks.set(line, block);
    }
  }
  return blocks;
}

function lastGone(gone: ReadonlySet<number>, before: number): number {
  let line = before - 1;
  while (line > 0 && !gone.has(line)) line--;
  return line;
}

/** A line of dashes that came to stand first would swallow all up to the next one. */
function startsAsFrontMatter(before: readonly string[], after: readonly string[]): boolean {
  const dashes = (line: string | undefined) => /^---\s*$/.test(line ?? "");
  return dashes(after[0]) && !dashes(before[0]);
}
