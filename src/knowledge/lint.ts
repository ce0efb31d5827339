import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Article, countWords } from "./article.ts";
import { logHash } from "./daily.ts";
import type { LoadedBase } from "./loaded.ts";

export type LintLevel = "error" | "warning" | "suggestion";

export type LintCheck =
  | "broken-link"
  | "unlisted"
  | "orphan-page"
  | "orphan-source"
  | "stale-article"
  | "contradiction"
  | "missing-backlink"
  | "sparse-article";

export interface LintFinding {
  level: LintLevel;
  check: LintCheck;
  /** Relative to `knowledge/`, without `.md`; for a log `daily/NAME`. */
  article: string;
  message: string;
  /** The other end of a link, where there is one. */
  target?: string;
}

const LEVELS: Readonly<Record<LintCheck, LintLevel>> = {
  "broken-link": "error",
  unlisted: "error",
  "orphan-page": "warning",
  "orphan-source": "warning",
  "stale-article": "warning",
  contradiction: "warning",
  "missing-backlink": "suggestion",
  "sparse-article": "suggestion",
};

/** Under this many words of body a page is sparse. */
const SPARSE_WORDS = 200;

/** Every check that needs no model, errors first. */
export function lintBase(loaded: LoadedBase): LintFinding[] {
  const links = resolveLinks(loaded);
  const found = [
    ...brokenLinks(links),
    ...unlisted(loaded),
    ...orphanPages(loaded.articles, links),
    ...orphanSources(loaded, links),
    ...staleArticles(loaded, links),
    ...missingBacklinks(links),
    ...sparseArticles(loaded.articles),
  ];
  return sortFindings(found);
}

export function finding(check: LintCheck, article: string, message: string, target?: string): LintFinding {
  return { level: LEVELS[check], check, article, message, ...(target === undefined ? {} : { target }) };
}

export function sortFindings(findings: readonly LintFinding[]): LintFinding[] {
  const order = (check: LintCheck) => Object.keys(LEVELS).indexOf(check);
  return findings.toSorted(
    (a, b) =>
      order(a.check) - order(b.check) ||
      compare(a.article, b.article) ||
      compare(a.target ?? "", b.target ?? ""),
  );
}

type Resolved =
  | { kind: "article"; path: string }
  | { kind: "log"; name: string }
  /** Another page of the vault: the index, a note of the owner's, a picture. */
  | { kind: "other" }
  | { kind: "missing"; link: string };

interface ArticleLinks {
  article: Article;
  links: readonly Resolved[];
}

function resolveLinks(loaded: LoadedBase): ArticleLinks[] {
  const { articles, logs, base } = loaded;
  const exact = new Map(articles.map(({ path }) => [path.toLowerCase(), path]));
  // as Obsidian does: a bare name means the page of that name, wherever it lies
  const names = new Map(
    articles.map(({ path }) => [path.slice(path.lastIndexOf("/") + 1).toLowerCase(), path]),
  );
  const logNames = new Map(
    [...logs.keys()].map((name) => [`daily/${name.replace(/\.md$/, "")}`.toLowerCase(), name]),
  );
  const bareLogs = new Map(
    [...logs.keys()].map((name) => [name.replace(/^.*\/|\.md$/g, "").toLowerCase(), name]),
  );
  const known = new Map<string, Resolved>();
  const resolve = (link: string): Resolved => {
    const key = link.toLowerCase();
    const path = exact.get(key) ?? (key.includes("/") ? undefined : names.get(key));
    if (path !== undefined) return { kind: "article", path };
    const log = logNames.get(key) ?? bareLogs.get(key);
    if (log !== undefined) return { kind: "log", name: log };
    return isOtherFile(base, link) ? { kind: "other" } : { kind: "missing", link };
  };
  const cached = (link: string) => {
    const resolved = known.get(link) ?? resolve(link);
    known.set(link, resolved);
    return resolved;
  };
  return articles.map((article) => ({ article, links: [...new Set(article.links)].map(cached) }));
}

function isOtherFile({ root, knowledge }: LoadedBase["base"], link: string): boolean {
  if (link.includes("..")) return false;
  return [knowledge, root].some(
    (folder) => existsSync(join(folder, link)) || existsSync(join(folder, `${link}.md`)),
  );
}

function brokenLinks(all: readonly ArticleLinks[]): LintFinding[] {
  return all.flatMap(({ article, links }) =>
    links.flatMap((link) =>
      link.kind === "missing"
        ? [finding("broken-link", article.path, `[[${link.link}]] leads nowhere`, link.link)]
        : [],
    ),
  );
}

function unlisted({ articles, index }: LoadedBase): LintFinding[] {
  const listed = new Set(index.rows.map(({ path }) => path));
  const paths = new Set(articles.map(({ path }) => path));
  return [
    ...articles.flatMap(({ path }) =>
      listed.has(path) ? [] : [finding("unlisted", path, "the index does not list it")],
    ),
    ...[...listed].flatMap((path) =>
      paths.has(path) ? [] : [finding("unlisted", path, "the index lists it, but there is no such article")],
    ),
  ];
}

function orphanPages(articles: readonly Article[], all: readonly ArticleLinks[]): LintFinding[] {
  const linked = new Set(
    all.flatMap(({ article, links }) =>
      links.flatMap((link) => (link.kind === "article" && link.path !== article.path ? [link.path] : [])),
    ),
  );
  return articles.flatMap(({ path }) =>
    linked.has(path) ? [] : [finding("orphan-page", path, "no other article links to it")],
  );
}

/** Logs that each article cites, in its front matter or its text. */
function citedLogs({ article, links }: ArticleLinks): Set<string> {
  const fromText = links.flatMap((link) => (link.kind === "log" ? [link.name] : []));
  const fromFront = article.front.sources.map((source) =>
    source.replace(/^daily\//, "").replace(/(?:\.md)?$/, ".md"),
  );
  return new Set([...fromText, ...fromFront]);
}

function orphanSources({ logs, record }: LoadedBase, all: readonly ArticleLinks[]): LintFinding[] {
  const cited = new Set(all.flatMap((entry) => [...citedLogs(entry)]));
  return [...logs.keys()].flatMap((name) =>
    cited.has(name) || record.logs[name] !== undefined
      ? []
      : [
          finding(
            "orphan-source",
            `daily/${name.replace(/\.md$/, "")}`,
            "it was never compiled and no article cites it",
          ),
        ],
  );
}

function staleArticles({ logs, record }: LoadedBase, all: readonly ArticleLinks[]): LintFinding[] {
  const changed = new Set(
    [...logs].flatMap(([name, text]) =>
      record.logs[name]?.hash != null && record.logs[name].hash !== logHash(text) ? [name] : [],
    ),
  );
  return all.flatMap((entry) => {
    const stale = [...citedLogs(entry)].filter((name) => changed.has(name));
    return stale.length === 0
      ? []
      : [
          finding(
            "stale-article",
            entry.article.path,
            `changed since it was compiled: ${stale.map((name) => `daily/${name}`).join(", ")}`,
          ),
        ];
  });
}

function missingBacklinks(all: readonly ArticleLinks[]): LintFinding[] {
  const targets = new Map(
    all.map(({ article, links }) => [
      article.path,
      new Set(links.flatMap((link) => (link.kind === "article" ? [link.path] : []))),
    ]),
  );
  return [...targets].flatMap(([path, linked]) =>
    [...linked].flatMap((target) =>
      target === path || targets.get(target)?.has(path) === true
        ? []
        : [finding("missing-backlink", path, `it links to [[${target}]], which does not link back`, target)],
    ),
  );
}

function sparseArticles(articles: readonly Article[]): LintFinding[] {
  return articles.flatMap(({ path, body }) => {
    const words = countWords(body);
    return words < SPARSE_WORDS
      ? [finding("sparse-article", path, `${words} words; under ${SPARSE_WORDS} say little`)]
      : [];
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
