import { Database } from "bun:sqlite";
import type { Article } from "./article.ts";

export interface Ranked {
  article: Article;
  /** Words around what was found, on one line. */
  snippet: string;
}

/**
 * Articles by how much of the text's words they have, the rare ones counting most and titles more than
 * bodies; those that share none are left out. An index in memory: making it for hundreds of articles takes less
 * time than keeping one on disk true.
 */
export function rankArticles(articles: readonly Article[], text: string): Ranked[] {
  const query = matchQuery(text);
  if (query === "" || articles.length === 0) return [];
  const db = new Database(":memory:");
  try {
    db.run(
      "CREATE VIRTUAL TABLE page USING fts5(title, names, body, tokenize = 'porter unicode61 remove_diacritics 2')",
    );
    const insert = db.query("INSERT INTO page (rowid, title, names, body) VALUES (?, ?, ?, ?)");
    db.transaction(() => {
      for (const [n, { path, front, body }] of articles.entries()) {
        const names = [path.replaceAll(/[/-]/g, " "), ...front.aliases, ...front.tags, front.question].join(
          " ",
        );
        insert.run(n + 1, spaced(front.title), spaced(names), spaced(body));
      }
    })();
    return db
      .query<{ rowid: number; snippet: string }, [string]>(
        `SELECT rowid, snippet(page, 2, '', '', ' … ', 32) AS snippet FROM page WHERE page MATCH ? ORDER BY bm25(page, 4.0, 3.0, 1.0), rowid`,
      )
      .all(query)
      .flatMap(({ rowid, snippet }) => {
        const article = articles[rowid - 1];
        return article === undefined ? [] : [{ article, snippet: snippet.replaceAll(/\s+/g, " ").trim() }];
      });
  } finally {
    db.close();
  }
}

/** More would slow the search down without finding anything else. */
const QUERY_WORDS = 400;

/** Any of the words; the commonest small words say nothing. */
function matchQuery(text: string): string {
  const words =
    spaced(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = new Set(
    words.filter((word) => (word.length > 2 || UNSPACED.test(word)) && !COMMON.has(word)),
  );
  return [...telling]
    .slice(0, QUERY_WORDS)
    .map((word) => `"${word}"`)
    .join(" OR ");
}

/** Scripts that put no blanks between words get some, so that the index sees words. */
function spaced(text: string): string {
  if (!UNSPACED.test(text)) return text;
  return Array.from(WORDS.segment(text), ({ segment }) => segment).join(" ");
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

const COMMON = new Set(
  "the and for are but not you all any can was our out has had how its who did yes this that with from they will would there their what when which where why were been have does into than then them these those some about over also only because should could just like more most such use used using session context key exchanges decisions made lessons learned action items daily".split(
    " ",
  ),
);
