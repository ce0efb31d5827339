import { endOf, parseBlocks, startOf } from "../text/markdown.ts";
import { clipUnits } from "../text/units.ts";
import { LINE_CAP, UNIT_CAP } from "./caps.ts";
import type { MemoryFile } from "./directory.ts";

export interface CountedLine {
  text: string;
  /** The line's number in the file, from 1. */
  line: number;
}

/** What of an index reaches a session, measured on Claude Code 2.1.332. */
export interface Loaded {
  /** Lines that count, in order: without front matter, block comments and blank lines at both ends. */
  counted: readonly CountedLine[];
  /** UTF-16 units of the counted lines with the `\n` between them. */
  units: number;
  /** What the session gets, before its own notice about the cut. */
  text: string;
  loadedLines: number;
  /** The counted lines that don't load, oldest first. */
  dropped: readonly CountedLine[];
  /** The first line alone is over the cap and was itself cut. */
  firstLineCut: boolean;
  /** Front matter that was taken off, with its number of lines; `null` where there is none. */
  frontMatter: { yaml: string; lines: number } | null;
  /** Block comments that were taken off. */
  comments: readonly CountedLine[];
}

/** Any `---` closes it, even within a line; whitespace around it goes too. */
const FRONT_MATTER = /^---\s*\n([\s\S]*?)---\s*\n?/;

/** Parsers take a real one off. */
const BOM_AS_LETTER = "\uFFFC";

const COMMENT = /<!--[\s\S]*?-->/g;

/** `text`: the file as decoded, without a BOM; `bom`: there was one. */
export function loadIndex(text: string, bom = false): Loaded {
  const head = FRONT_MATTER.exec(text);
  const yaml = head?.[1] ?? null;
  const headLines = (head?.[0] ?? "").split("\n").length - 1;
  const { body, kept, comments } = withoutComments(text.slice(head?.[0].length ?? 0), bom && head === null);
  const counted = countedLines(body, kept).map(({ text: line, line: number }) => ({
    text: line,
    line: number + headLines,
  }));
  const units = joinedUnits(counted);
  const cut = cutLines(counted);
  return {
    counted,
    units,
    text: shown(counted.slice(0, cut.loaded)),
    loadedLines: cut.loaded,
    dropped: counted.slice(cut.loaded),
    firstLineCut: cut.firstLineCut,
    frontMatter: yaml === null ? null : { yaml, lines: headLines },
    comments: comments.map(({ text: note, line }) => ({ text: note, line: line + headLines })),
  };
}

/** An index as it stands in its directory. */
export function loadFile({ bytes, text }: MemoryFile): Loaded {
  return loadIndex(text, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf);
}

/** How many units at its start Claude Code takes for front matter. */
export function frontMatterUnits(text: string): number {
  return FRONT_MATTER.exec(text)?.[0].length ?? 0;
}

interface Span {
  start: number;
  end: number;
}

interface Stripped {
  /** What the spans lie in. */
  body: string;
  kept: readonly Span[];
  comments: readonly CountedLine[];
}

/** Claude Code strips comments from a text with every CR made a line's end, and keeps that text only where it found some. */
function withoutComments(original: string, behindBom: boolean): Stripped {
  const untouched = { body: original, kept: [{ start: 0, end: original.length }], comments: [] };
  if (!original.includes("<!--")) return untouched;
  // without front matter a BOM is still there, and makes the first line begin with a letter
  const before = behindBom ? BOM_AS_LETTER : "";
  const body = before + original.replaceAll(/\r\n?/g, "\n");
  const kept: Span[] = [];
  const comments: CountedLine[] = [];
  let from = before.length;
  for (const node of parseBlocks(body).children) {
    if (node.type !== "html" || !/^\s*<!--[\s\S]*-->/.test(node.value)) continue;
    const start = body.lastIndexOf("\n", startOf(node) - 1) + 1;
    const end = endOf(node);
    const spans = [...body.slice(start, end).matchAll(COMMENT)].map((match) => ({
      start: start + match.index,
      end: start + match.index + match[0].length,
    }));
    for (const span of spans) {
      comments.push({ text: body.slice(span.start, span.end), line: node.position?.start.line ?? 1 });
    }
    const bare = node.value.replaceAll(COMMENT, "").trim() === "";
    for (const span of bare ? [{ start, end: end + newlinesAt(body, end) }] : spans) {
      kept.push({ start: from, end: span.start });
      from = span.end;
    }
  }
  if (comments.length === 0) return untouched;
  kept.push({ start: from, end: body.length });
  return { body, kept, comments };
}

/** Blank lines behind a comment leave with it. */
function newlinesAt(text: string, offset: number): number {
  let end = offset;
  while (text.charCodeAt(end) === 10) end++;
  return end - offset;
}

function countedLines(body: string, kept: readonly Span[]): CountedLine[] {
  const joined = kept.map(({ start, end }) => body.slice(start, end)).join("");
  const leading = joined.length - joined.trimStart().length;
  const trimmed = joined.trim();
  if (trimmed === "") return [];
  const lineAt = lineNumbers(body, kept);
  let offset = leading;
  return trimmed.split("\n").map((text) => {
    const line = { text, line: lineAt(offset) };
    offset += text.length + 1;
    return line;
  });
}

/** From offsets of the kept text, asked in ascending order, to line numbers of the body. */
function lineNumbers(body: string, kept: readonly Span[]): (offset: number) => number {
  let span = 0;
  let before = 0;
  let line = 1;
  let at = 0;
  return (offset) => {
    let here = kept[span];
    while (here !== undefined && offset >= before + here.end - here.start && span < kept.length - 1) {
      before += here.end - here.start;
      here = kept[++span];
    }
    const source = (here?.start ?? 0) + offset - before;
    for (; at < source; at++) if (body.charCodeAt(at) === 10) line++;
    return line;
  };
}

function cutLines(lines: readonly CountedLine[]): { loaded: number; firstLineCut: boolean } {
  let units = -1;
  let loaded = 0;
  for (const { text } of lines.slice(0, LINE_CAP)) {
    units += text.length + 1;
    if (units > UNIT_CAP) break;
    loaded++;
  }
  return loaded === 0 && lines.length > 0
    ? { loaded: 1, firstLineCut: true }
    : { loaded, firstLineCut: false };
}

function joinedUnits(lines: readonly CountedLine[]): number {
  return lines.reduce((units, { text }) => units + text.length + 1, lines.length === 0 ? 0 : -1);
}

/** The caps are applied before a session's text is cleaned of what no model should see. */
function shown(lines: readonly CountedLine[]): string {
  return clipUnits(lines.map(({ text }) => text).join("\n"), UNIT_CAP)
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\0", "")
    .trimEnd();
}
