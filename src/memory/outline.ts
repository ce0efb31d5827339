import type { Heading, ListItem, Nodes, Root, RootContent, TableRow } from "mdast";
import { visit } from "unist-util-visit";
import { endOf, inlineOf, parseBlocks, parseCommonMark, sourceOf, startOf } from "../text/markdown.ts";
import { clipLine, oneLine } from "../text/sentences.ts";
import { type Document, documentText } from "./document.ts";
import { type Target, targetsOf } from "./links.ts";
import { frontMatterUnits } from "./loaded.ts";

/** Lines of a document, from 0; `to` is the line behind the last one. */
export interface LineRange {
  from: number;
  to: number;
}

/** A heading with all that stands under it, up to the next heading of its rank or higher. */
export interface Section extends LineRange {
  title: string;
  depth: number;
  /** The first line under the heading. */
  body: number;
}

/** What an index is made of: a list item with all that is nested in it, or a row of a table. */
export interface Entry extends LineRange {
  kind: "item" | "row";
  /** Markdown, and the link definitions of the whole text that it may use. */
  source: string;
  definitions: string;
  /** Without markup, one line. */
  text: string;
  /** Markdown of the first paragraph or of the row: where the entry's own date stands. */
  head: string;
  /** Markdown of all that is nested in it. */
  nested: string;
  links: readonly Target[];
  /** The heading that it stands under. */
  section: string | null;
  /** Tells lists and tables apart. */
  block: number;
  /** For a row: the table's head and its line of dashes. */
  tableHead: LineRange | null;
}

export interface Outline {
  /** The body with its blocks, and how many lines of front matter stand before it. */
  body: string;
  root: Root;
  headLines: number;
  sections: readonly Section[];
  entries: readonly Entry[];
  /** Uses of link definitions and of footnotes (`^label`), with the line from 0. */
  references: readonly { label: string; line: number }[];
  /** Label → the lines of its definition. */
  definitions: ReadonlyMap<string, LineRange>;
}

/** What an entry without a link is called by. */
const TITLE_UNITS = 48;

/** Reads an index, or an archive, as Claude Code's own parser would see it. */
export function outlineOf(document: Document): Outline {
  const text = documentText(document);
  const bodyStart = frontMatterUnits(text);
  const body = text.slice(bodyStart);
  const root = parseBlocks(body);
  const lineAt = lineFinder(document.lines);
  const range = (node: Nodes) => ({
    from: lineAt(bodyStart + startOf(node)),
    to: lineAt(bodyStart + endOf(node) - 1) + 1,
  });
  const definitions = definitionsOf(root, range);
  const defined = [...definitions.values()].map(({ from, to }) => document.lines.slice(from, to).join(""));
  const reader: Reader = { body, root, definitions: defined.join("\n"), range };
  const firstLine = bodyStart === 0 ? 0 : lineAt(bodyStart - 1) + 1;
  const sections = sectionsOf(reader, document.lines.length).filter(({ from }) => from >= firstLine);
  const entries = root.children
    .flatMap((node, block) => entriesOf(node, block, reader))
    .filter(({ from }) => from >= firstLine)
    .map((entry) => ({ ...entry, section: innermost(sections, entry.from)?.title ?? null }));
  return {
    body,
    root,
    headLines: firstLine,
    sections,
    entries,
    references: referencesOf(document, definitions),
    definitions,
  };
}

/**
 * What an entry is called: its first link's words, else what stands in bold or before the first separator.
 * Markdown, one line.
 */
export function titleOf({ source, definitions, head }: Entry): string {
  const text = `${source}\n\n${definitions}`;
  let title: string | null = null;
  visit(parseCommonMark(text), (node) => {
    if (title !== null || (node.type !== "link" && node.type !== "linkReference")) return;
    const [first, last] = [node.children[0], node.children.at(-1)];
    if (first !== undefined && last !== undefined) title = oneLine(text.slice(startOf(first), endOf(last)));
  });
  return title ?? /^\*\*([^*]+?):?\*\*/.exec(head)?.[1] ?? leadTitle(head);
}

/** The labels that a range of lines takes from definitions. */
export function labelsUsed({ references }: Outline, { from, to }: LineRange): string[] {
  return references.filter(({ line }) => from <= line && line < to).map(({ label }) => label);
}

export function sectionNamed(outline: Outline, title: string): Section | undefined {
  return outline.sections.find((section) => isNamed(section.title, title));
}

export function isNamed(title: string | null, name: string): boolean {
  return title !== null && title.trim().toLowerCase() === name.toLowerCase();
}

export function contains({ from, to }: LineRange, inner: LineRange): boolean {
  return from <= inner.from && inner.to <= to;
}

interface Reader {
  body: string;
  root: Root;
  definitions: string;
  range: (node: Nodes) => LineRange;
}

function sectionsOf({ body, root, range }: Reader, end: number): Section[] {
  const headings = root.children.filter((node): node is Heading => node.type === "heading");
  return headings.map((heading, at) => {
    const next = headings.slice(at + 1).find(({ depth }) => depth <= heading.depth);
    const { from, to } = range(heading);
    return {
      title: oneLine(inlineOf(sourceOf(heading, body), true).text),
      depth: heading.depth,
      from,
      body: to,
      to: next === undefined ? end : range(next).from,
    };
  });
}

function innermost(sections: readonly Section[], line: number): Section | undefined {
  return sections.findLast(({ from, to }) => from <= line && line < to);
}

type Placed = Omit<Entry, "section">;

function entriesOf(node: RootContent, block: number, reader: Reader): Placed[] {
  if (node.type === "list") return node.children.map((item) => itemEntry(item, block, reader));
  if (node.type !== "table") return [];
  const [head, ...rows] = node.children;
  if (head === undefined) return [];
  const { from } = reader.range(head);
  return rows.map((row) => ({
    ...rowEntry(row, block, reader),
    tableHead: { from, to: from + 2 },
  }));
}

function itemEntry(item: ListItem, block: number, reader: Reader): Placed {
  const head = item.children[0]?.type === "paragraph" ? item.children[0] : null;
  const nestedFrom = head === null ? startOf(item) : endOf(head);
  return {
    kind: "item",
    ...reader.range(item),
    ...wordsOf(item, head ?? item, reader),
    nested: reader.body.slice(nestedFrom, endOf(item)),
    block,
    tableHead: null,
  };
}

function rowEntry(row: TableRow, block: number, reader: Reader): Placed {
  return {
    kind: "row",
    ...reader.range(row),
    ...wordsOf(row, row, reader),
    nested: "",
    block,
    tableHead: null,
  };
}

function wordsOf(node: ListItem | TableRow, head: Nodes, { body, definitions }: Reader) {
  const source = sourceOf(node, body);
  const { text } = inlineOf(source, true);
  return {
    source,
    definitions,
    text: oneLine(node.type === "tableRow" ? text.replaceAll("|", " · ") : text),
    head: sourceOf(head, body),
    links: targetsOf(definitions === "" ? source : `${source}\n\n${definitions}`),
  };
}

function leadTitle(head: string): string {
  const words = oneLine(inlineOf(head.replace(/^\|\s*/, ""), true).text);
  const text = words.replace(/^\[[ xX]\] /, "").replace(/ \(\d{4}-\d{2}-\d{2}\)$/, "");
  return clipLine(text.split(/ [—–·→|-]+ |: /, 1)[0] ?? text, TITLE_UNITS);
}

/** Where a label that is defined somewhere stands in brackets: what may be a use of it. */
function referencesOf(
  { lines }: Document,
  definitions: ReadonlyMap<string, LineRange>,
): { label: string; line: number }[] {
  return [...definitions].flatMap(([label, { from, to }]) =>
    lines.flatMap((line, at) =>
      (at < from || at >= to) && line.toLowerCase().includes(`[${label}]`) ? [{ label, line: at }] : [],
    ),
  );
}

function definitionsOf(root: Root, range: Reader["range"]): Map<string, LineRange> {
  const definitions = new Map<string, LineRange>();
  visit(root, (node) => {
    if (node.type !== "definition" && node.type !== "footnoteDefinition") return;
    const label = node.type === "definition" ? node.identifier : `^${node.identifier}`;
    if (!definitions.has(label)) definitions.set(label, range(node));
  });
  return definitions;
}

/** From an offset in the text to the line that it stands on. */
function lineFinder(lines: readonly string[]): (offset: number) => number {
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length;
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}
