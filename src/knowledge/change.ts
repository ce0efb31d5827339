import { join } from "node:path";
import { type Article, type FrontMatter, parseArticle, renderArticle, sha256 } from "./article.ts";
import { type IndexRow, type LogEntry, appendLog, renderIndex } from "./catalog.ts";
import type { FileChange } from "./commit.ts";
import { addToEdited } from "./edited.ts";
import { type LoadedBase, editedPaths, isEdited, readText } from "./loaded.ts";
import type { Proposal } from "./proposal.ts";
import { type CompileRecord, INDEX_FILE, LOG_FILE, RECORD_FILE, renderRecord } from "./record.ts";
import { statementOf } from "./summary.ts";

/** A page as it shall be. */
export interface PageChange {
  path: string;
  text: string;
  /** The page's line in the index; `null` keeps what stands there. */
  summary: string | null;
}

export interface BaseChange {
  pages: readonly PageChange[];
  entry: LogEntry;
  /** What the change says about compiled logs; left out where it says nothing. */
  logs?: CompileRecord["logs"];
  /** ISO 8601, of a compile. */
  compiledAt?: string;
}

/** Every file that a change to a base touches, index, log and record included: pure but for reading the old ones. */
export function filesOf(loaded: LoadedBase, change: BaseChange): FileChange[] {
  const { base, record } = loaded;
  const changed = new Map(change.pages.map((page) => [page.path, page]));
  const old = new Map(loaded.articles.map((article) => [article.path, article]));
  const articles = [
    ...loaded.articles.filter(({ path }) => !changed.has(path)),
    ...change.pages.map(({ path, text }) => parseArticle(path, text)),
  ];
  const rows = new Map(loaded.index.rows.map((row) => [row.path, row]));
  const index = renderIndex({
    ...loaded.index,
    rows: articles.map((article) =>
      rowOf(article, changed.get(article.path)?.summary ?? rows.get(article.path)?.summary ?? null),
    ),
  });
  const file = (path: string, content: string): FileChange => {
    const before = readText(join(base.knowledge, path));
    return { path, content, before: before === null ? null : sha256(before) };
  };
  const pages = change.pages.map(({ path, text }): FileChange => ({
    path: `${path}.md`,
    content: text,
    before: old.get(path)?.hash ?? null,
  }));
  const renewed = renderRecord({
    compiledAt: change.compiledAt ?? record.compiledAt,
    logs: change.logs ?? record.logs,
    articles: recordArticles(articles, changed, loaded),
  });
  const log = appendLog(readText(join(base.knowledge, LOG_FILE)) ?? "", change.entry);
  return [...pages, file(INDEX_FILE, index), file(LOG_FILE, log), file(RECORD_FILE, renewed)];
}

/** The page that a checked proposal makes. */
export function pageOf(proposal: Proposal, loaded: LoadedBase, log: string, day: string): PageChange {
  const { path, title, body, summary } = proposal;
  const old = loaded.articles.find((article) => article.path === path);
  const edited = old !== undefined && isEdited(old, loaded.record);
  const front: FrontMatter = {
    title: edited && old.front.title !== "" ? old.front.title : title,
    aliases: union(old?.front.aliases, proposal.aliases),
    tags: union(old?.front.tags, proposal.tags),
    sources: union(old?.front.sources, [`daily/${log}`]),
    connects: union(old?.front.connects, proposal.connects),
    question: "",
    consulted: [],
    created: old?.front.created || day,
    updated: day,
    filed: "",
    other: old?.front.other ?? {},
  };
  const whole = edited ? addToEdited(old.body, body) : titled(body, title);
  return { path, text: renderArticle(path, front, whole), summary };
}

/** How many other articles link to each path. */
function countLinks(articles: readonly Article[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path, links } of articles) {
    for (const link of new Set(links)) if (link !== path) counts.set(link, (counts.get(link) ?? 0) + 1);
  }
  return counts;
}

function rowOf(article: Article, summary: string | null): IndexRow {
  const { front, path, body } = article;
  const sources = front.sources.length > 0 ? front.sources : front.consulted;
  const shown = sources.slice(-SOURCES_SHOWN).join(", ");
  return {
    path,
    summary: summary ?? statementOf(front.title, body),
    compiledFrom: sources.length > SOURCES_SHOWN ? `${shown} (+${sources.length - SOURCES_SHOWN})` : shown,
    updated: front.updated || front.filed || front.created,
  };
}

const SOURCES_SHOWN = 3;

function recordArticles(
  articles: readonly Article[],
  changed: ReadonlyMap<string, PageChange>,
  { record, articles: before }: LoadedBase,
): CompileRecord["articles"] {
  const links = countLinks(articles);
  const editedBefore = editedPaths({ articles: before, record });
  return Object.fromEntries(
    articles.map(({ path, hash }) => {
      const written = changed.has(path);
      const edited = editedBefore.has(path);
      return [
        path,
        {
          hash: written || !edited ? hash : (record.articles[path]?.hash ?? ""),
          edited,
          linked: links.get(path) ?? 0,
        },
      ];
    }),
  );
}

function union(before: readonly string[] | undefined, more: readonly string[]): string[] {
  return [...new Set([...(before ?? []), ...more])];
}

/** A page begins with its title, as Obsidian's readers expect. */
function titled(body: string, title: string): string {
  return /^\s*# /.test(body) ? body : `# ${title}\n\n${body.trim()}`;
}
