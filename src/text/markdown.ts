import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/**
 * The blocks of a text, CommonMark's with GitHub's tables, task lists and footnotes, and what stands within a line
 * left as it is written: `inlineOf` reads that, and reading both at once takes twice as long. Front matter is no
 * part of a text: take it off first, with `splitFrontMatter`.
 */
export function parseBlocks(text: string): Root {
  return fromMarkdown(text, { extensions: BLOCKS, mdastExtensions: TREE });
}

const INLINE = [
  [
    "attention",
    "autolink",
    "characterEscape",
    "characterReference",
    "codeText",
    "hardBreakEscape",
    "htmlText",
  ],
  ["labelEnd", "labelStartImage", "labelStartLink", "gfmFootnoteCall", "strikethrough"],
  ["wwwAutolink", "protocolAutolink", "emailAutolink"],
].flat();
const BLOCKS = [gfm(), { disable: { null: INLINE } }];
const TREE = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension);

/** All of CommonMark, with places; slow, so for a part of a text or where places count. */
export function parseCommonMark(text: string): Root {
  return fromMarkdown(text);
}

export interface Inline {
  /** What a reader sees, without markup and code blocks. Lines end where blocks do. */
  text: string;
  /** Targets of its links; character references and escapes in them are left as written. */
  targets: readonly string[];
  /** Inline code. */
  code: readonly string[];
}

/** What a text says between its marks, by Bun's own parser: 200 times as fast as one that knows places. */
export function inlineOf(text: string, withCode: boolean): Inline {
  const targets: string[] = [];
  const code: string[] = [];
  const apart = () => "\n";
  const ended = (words: string) => `${words}\n`;
  const words = Bun.markdown.render(
    text,
    {
      link: (label, { href }) => {
        targets.push(href);
        return label;
      },
      codespan: (literal) => {
        code.push(literal);
        return withCode ? literal : "\n";
      },
      code: apart,
      html: apart,
      image: apart,
      paragraph: ended,
      heading: ended,
      list: (items) => `\n${items}`,
      listItem: ended,
    },
    { tables: false, strikethrough: false },
  );
  return { text: words, targets, code };
}

export interface FrontMatter {
  /** What stands between the two `---`, or `null` where the text has no front matter. */
  yaml: string | null;
  body: string;
  /** Where the body begins in the text, in units. */
  bodyStart: number;
}

/** Front matter stands at the very start, between two lines `---`; an unclosed one belongs to the body. */
export function splitFrontMatter(text: string): FrontMatter {
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) return { yaml: null, body: text, bodyStart: 0 };
  return { yaml: match[1] ?? "", body: text.slice(match[0].length), bodyStart: match[0].length };
}

/** The fields of front matter; `null` where it is no mapping. Bun's own YAML, 30 times as fast as the npm library. */
export function parseFrontMatter(yaml: string): Record<string, unknown> | null {
  const value = parseYaml(yaml) ?? parseYaml(quoteValues(yaml));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function parseYaml(yaml: string): unknown {
  try {
    return Bun.YAML.parse(yaml);
  } catch {
    return null;
  }
}

/** People and models write `description: Note: this breaks`, which is no YAML; every reader of theirs takes it. */
function quoteValues(yaml: string): string {
  return yaml.replaceAll(
    /^(\s*[\w-]+):[ \t]+(?!["'[{|>])(.*\S)[ \t]*$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
  );
}

export function startOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

export function endOf(node: Nodes): number {
  return node.position?.end.offset ?? 0;
}

/** A node's own source, word for word. */
export function sourceOf(node: Nodes, text: string): string {
  return text.slice(startOf(node), endOf(node));
}
