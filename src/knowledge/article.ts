import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { wikilinks } from "./links.ts";

export const ARTICLE_FOLDERS = ["concepts", "connections", "qa"] as const;
export type ArticleFolder = (typeof ARTICLE_FOLDERS)[number];

/** One page of a base as it is on disk. */
export interface Article {
  /** Relative to `knowledge/`, without `.md`: `concepts/some-slug`. */
  path: string;
  front: FrontMatter;
  /** What follows the front matter. */
  body: string;
  /** The whole file. */
  text: string;
  /** SHA-256 of the whole file. */
  hash: string;
  /** Targets of the whole file's links, in order. */
  links: readonly string[];
}

/** Every field may be missing in what people write by hand; fields of theirs are kept in `other`. */
export interface FrontMatter {
  title: string;
  aliases: readonly string[];
  tags: readonly string[];
  /** Logs, as `daily/2026-04-01.md`. */
  sources: readonly string[];
  /** Articles that a connection joins, as paths. */
  connects: readonly string[];
  question: string;
  consulted: readonly string[];
  created: string;
  updated: string;
  filed: string;
  other: Readonly<Record<string, unknown>>;
}

/** Every article below the three folders, by path. */
export function readArticles(knowledge: string): Article[] {
  return ARTICLE_FOLDERS.flatMap((folder) => markdownFiles(join(knowledge, folder), folder))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((path) => parseArticle(path, readFileSync(join(knowledge, `${path}.md`), "utf8")));
}

export function parseArticle(path: string, text: string): Article {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  return {
    path,
    front: parseFrontMatter(match?.[1] ?? ""),
    body: match === null ? text : text.slice(match[0].length),
    text,
    hash: sha256(text),
    links: wikilinks(text),
  };
}

/** The whole file, fields in the order of the article's kind; strings quoted so that no title can break it. */
export function renderArticle(path: string, front: FrontMatter, body: string): string {
  const fields = FIELDS[folderOf(path)].flatMap((field) => renderField(field, front[field]));
  const other = Object.entries(front.other).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${[...fields, ...other].join("\n")}\n---\n\n${body.trim()}\n`;
}

const FIELDS = {
  concepts: ["title", "aliases", "tags", "sources", "created", "updated"],
  connections: ["title", "connects", "sources", "created", "updated"],
  qa: ["title", "question", "consulted", "filed"],
} as const satisfies Record<ArticleFolder, readonly Exclude<keyof FrontMatter, "other">[]>;

export function folderOf(path: string): ArticleFolder {
  return ARTICLE_FOLDERS.find((folder) => path.startsWith(`${folder}/`)) ?? "concepts";
}

/** A path that an article may be written to: one of the folders, then a slug; nothing that leads anywhere else. */
export function isArticlePath(path: string): boolean {
  return /^(?:concepts|connections|qa)\/[a-z0-9]+(?:-[a-z0-9]+)*$/.test(path) && path.length <= 120;
}

/** Lower-case kebab-case; a title without Latin letters gets a slug from its hash. */
export function slugOf(title: string): string {
  const words =
    title
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  let slug = "";
  for (const word of words) if (slug.length + word.length < 70) slug += slug === "" ? word : `-${word}`;
  return slug === "" ? `page-${sha256(title).slice(0, 8)}` : slug;
}

export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Words as the sparse check counts them; scripts without spaces are counted by their own words. */
export function countWords(text: string): number {
  let words = 0;
  let inWord = false;
  let spaced = false; // known to have blanks between its words
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= FIRST_UNSPACED && !spaced) {
      if (UNSPACED.test(text)) return countUnspaced(text);
      spaced = true;
    }
    const blank = code <= 32 || code === 160;
    if (!blank && !inWord) words += 1;
    inWord = !blank;
  }
  return words;
}

function countUnspaced(text: string): number {
  let words = 0;
  for (const { isWordLike } of WORDS.segment(text)) if (isWordLike === true) words += 1;
  return words;
}

/** Thai begins here, and everything that could be Chinese or Japanese comes later. */
const FIRST_UNSPACED = 0x0e00;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

function markdownFiles(folder: string, prefix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".")) return [];
    const path = `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return markdownFiles(join(folder, entry.name), path);
    return entry.name.endsWith(".md") ? [path.slice(0, -3)] : [];
  });
}

const KNOWN = new Set([
  "title",
  "aliases",
  "tags",
  "sources",
  "connects",
  "question",
  "consulted",
  "created",
  "updated",
  "filed",
]);

function parseFrontMatter(yaml: string): FrontMatter {
  const fields = parseYaml(yaml);
  return {
    title: string(fields["title"]),
    aliases: strings(fields["aliases"]),
    tags: strings(fields["tags"]),
    sources: strings(fields["sources"]).map(unlinked),
    connects: strings(fields["connects"]).map(unlinked),
    question: string(fields["question"]),
    consulted: strings(fields["consulted"]).map(unlinked),
    created: string(fields["created"]),
    updated: string(fields["updated"]),
    filed: string(fields["filed"]),
    other: Object.fromEntries(Object.entries(fields).filter(([name]) => !KNOWN.has(name))),
  };
}

/** Front matter that is no YAML mapping counts as none; lint and the compiler then see an article without fields. */
function parseYaml(yaml: string): Record<string, unknown> {
  try {
    const value: unknown = Bun.YAML.parse(yaml);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function string(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

function strings(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.flat(2) : [value]; // unquoted [[links]] are lists in YAML
  return list.map(string).filter((text) => text !== "");
}

/** Obsidian writes links into its properties. */
function unlinked(text: string): string {
  return text.replace(/^\[\[(.*)\]\]$/, "$1").replace(/^\.\//, "");
}

function renderField(name: string, value: string | readonly string[]): string[] {
  if (typeof value !== "string") {
    return value.length === 0
      ? [`${name}: []`]
      : [`${name}:`, ...value.map((entry) => `  - ${JSON.stringify(entry)}`)];
  }
  return [`${name}: ${/^\d{4}-\d{2}-\d{2}$/.test(value) ? value : JSON.stringify(value)}`];
}
