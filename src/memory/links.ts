import type { Nodes, Root } from "mdast";
import { visit } from "unist-util-visit";
import { inlineOf, parseCommonMark } from "../text/markdown.ts";
import { type MemoryFile, type MemoryFiles, topicFacts } from "./directory.ts";

export interface Target {
  kind: "link" | "wikilink";
  /** As written, character references and escapes resolved. */
  target: string;
}

export interface Link extends Target {
  /** The line in the text that it stands on, from 1. */
  line: number;
}

/** Where a link leads, as seen from the file that it stands in. */
export type Destination =
  | { kind: "file"; path: string }
  /** No such file, but one whose name differs in case, folder, ending, `_`, `-` or spaces alone. */
  | { kind: "near"; path: string }
  | { kind: "missing"; path: string }
  /** The name in an example of how entries are written. */
  | { kind: "template" }
  /** A relative or absolute path that leaves the directory. */
  | { kind: "outside"; path: string }
  /** A web address, an anchor, a picture, a folder: nothing that this directory should hold as Markdown. */
  | { kind: "other" };

/**
 * Every link of a Markdown text that a reader sees as one, without its line: not those in code, comments or
 * other HTML.
 */
export function targetsOf(body: string): Target[] {
  if (!LINK_SIGN.test(body)) return [];
  if (body.includes("]:")) return linksOf(body); // definitions: few have them, and the parsers differ there
  const { text, targets } = inlineOf(body, false);
  if (targets.some((target) => /\\|&#?\w+;/.test(target))) return linksOf(body);
  return [
    ...targets.map((target): Target => ({ kind: "link", target })),
    ...Array.from(text.matchAll(WIKILINK), ([, target = ""]): Target => ({
      kind: "wikilink",
      target: target.trim(),
    })),
  ];
}

/** The same links with their lines; `body` begins behind `lines` lines of the file. */
export function linksOf(body: string, lines = 0): Link[] {
  const root = parseCommonMark(body);
  return linksIn(root, definedTargets(root)).map((link) => ({ ...link, line: link.line + lines }));
}

function linksIn(node: Nodes, definitions: ReadonlyMap<string, string>): Link[] {
  const links: Link[] = [];
  visit(node, (inner) => {
    const line = inner.position?.start.line ?? 1;
    if (inner.type === "link") links.push({ kind: "link", target: inner.url, line });
    if (inner.type === "linkReference") {
      const target = definitions.get(inner.identifier);
      if (target !== undefined) links.push({ kind: "link", target, line });
    }
    if (inner.type !== "text") return;
    for (const { index, 1: target = "" } of inner.value.matchAll(WIKILINK)) {
      links.push({
        kind: "wikilink",
        target: target.trim(),
        line: line + countLines(inner.value.slice(0, index)),
      });
    }
  });
  return links;
}

/** Where the links of a directory's files lead; asks its names only, never the disk. */
export function createResolver(memory: MemoryFiles): (link: Target, from: string) => Destination {
  const names = namesOf(memory);
  return (link, from) =>
    link.kind === "wikilink"
      ? resolveWikilink(link.target, memory, names)
      : resolvePath(link.target, from, memory, names);
}

const WIKILINK = /\[\[([^[\]|#\n]+)(?:[|#][^[\]\n]*)?\]\]/g;

const LINK_SIGN = /\]\(|\]\[|\]:|\[\[/;

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Label → target, of the link definitions of a text; the first of a label counts. */
function definedTargets(root: Root): Map<string, string> {
  const definitions = new Map<string, string>();
  visit(root, "definition", ({ identifier, url }) => {
    if (!definitions.has(identifier)) definitions.set(identifier, url);
  });
  return definitions;
}

/** The names by which a directory's files can be meant. */
interface Names {
  /** File name without ending → paths. */
  byStem: ReadonlyMap<string, readonly string[]>;
  /** Front matter's `name` → paths. */
  byName: ReadonlyMap<string, readonly string[]>;
  /** File name, normalised → paths. */
  byNorm: ReadonlyMap<string, readonly string[]>;
}

function namesOf({ files }: MemoryFiles): Names {
  const byStem = new Map<string, string[]>();
  const byName = new Map<string, string[]>();
  const byNorm = new Map<string, string[]>();
  for (const file of files.values()) {
    const stem = stemOf(file.path);
    add(byStem, stem, file.path);
    add(byNorm, normalise(stem), file.path);
    const name = frontMatterName(file);
    if (name === null) continue;
    add(byName, name, file.path);
    if (normalise(name) !== normalise(stem)) add(byNorm, normalise(name), file.path);
  }
  return { byStem, byName, byNorm };
}

export function frontMatterName(file: MemoryFile): string | null {
  const name = topicFacts(file).fields?.["name"];
  return typeof name === "string" && name.trim() !== "" ? name.trim() : null;
}

/** A file's name without folder and ending. */
export function stemOf(path: string): string {
  return baseOf(path).replace(/\.md$/i, "");
}

/** A file's name without its folder. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function normalise(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}

function resolveWikilink(target: string, memory: MemoryFiles, names: Names): Destination {
  const exact = target.replace(/^\.?\//, "");
  for (const path of [exact, `${exact}.md`]) if (memory.files.has(path)) return { kind: "file", path };
  const named = names.byStem.get(stemOf(exact)) ?? names.byName.get(exact);
  if (named?.[0] !== undefined) return { kind: "file", path: named[0] };
  const near = names.byNorm.get(normalise(stemOf(exact)))?.[0];
  if (near !== undefined) return { kind: "near", path: near };
  return isTemplate(exact) ? { kind: "template" } : { kind: "missing", path: exact };
}

function resolvePath(target: string, from: string, memory: MemoryFiles, names: Names): Destination {
  if (/^[a-z][a-z0-9+.-]+:/i.test(target) || target.startsWith("//")) return { kind: "other" };
  const written = target.replace(/[?#].*$/s, "").replaceAll("\\", "/");
  if (written === "") return { kind: "other" };
  const path = decodePercent(written);
  if (/^(\/|~)/.test(path)) return outsideOrOwn(path, memory);
  for (const candidate of new Set([path, written])) {
    const joined = joinPath(from, candidate);
    if (joined === null) return { kind: "outside", path: candidate };
    if (memory.files.has(joined)) return { kind: "file", path: joined };
    if (joined === "" || memory.others.has(joined.replace(/\/$/, ""))) return { kind: "other" };
  }
  const near = names.byNorm.get(normalise(stemOf(path)));
  if (near?.[0] !== undefined && /(\.md|\/[^.]*|^[^.]*)$/i.test(path)) return { kind: "near", path: near[0] };
  if (isTemplate(path)) return { kind: "template" };
  return { kind: "missing", path: joinPath(from, path) ?? path };
}

function outsideOrOwn(path: string, memory: MemoryFiles): Destination {
  const own = `${memory.directory.replaceAll("\\", "/").replace(/\/$/, "")}/`;
  const inside = path.startsWith(own) ? path.slice(own.length) : null;
  return inside !== null && memory.files.has(inside)
    ? { kind: "file", path: inside }
    : { kind: "outside", path };
}

/** Targets of "how to write entries": the three of the hygiene rules, and what no file is called. */
function isTemplate(path: string): boolean {
  return (
    ["file.md", "example.md", "topic-name.md", "topic.md", "filename.md", "path/to/file.md"].includes(path) ||
    /[<>{}*$…]|\.\.\.|YYYY|\bname-of-|^your-/.test(path)
  );
}

/** A path relative to the directory, `null` where it leaves it. */
function joinPath(from: string, target: string): string | null {
  const parts = from.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a `%` that is none of an escape
  }
}

function add(map: Map<string, string[]>, key: string, path: string): void {
  const paths = map.get(key);
  if (paths === undefined) map.set(key, [path]);
  else paths.push(path);
}
