import type { Prompt } from "../model/model.ts";
import type { Article } from "./article.ts";
import type { IndexRow } from "./catalog.ts";
import { type LoadedBase, editedPaths, readText } from "./loaded.ts";
import type { CompileBatch } from "./plan.ts";
import { type CompileRequest, compilePrompt } from "./prompts/compile.ts";
import { SPECIFICATION } from "./prompts/specification.ts";
import { rankArticles } from "./rank.ts";

/** What of the base one call carries beside the log, in UTF-16 units. */
const ARTICLE_UNITS = 30_000;
const ROW_UNITS = 20_000;

/** The prompt for a batch, as it would be sent now. */
export function promptFor(batch: CompileBatch, loaded: LoadedBase): Prompt {
  return compilePrompt(requestFor(batch, loaded));
}

/** What the model sees: pages that cite the log, then those nearest to it, in full while they fit; the others as rows. */
export function requestFor(batch: CompileBatch, loaded: LoadedBase): CompileRequest {
  const edited = editedPaths(loaded);
  const text = batch.parts.map((part) => part.text).join("\n\n");
  const citing = loaded.articles.filter(({ links }) =>
    links.includes(`daily/${batch.log.replace(/\.md$/, "")}`),
  );
  const near = new Set([...citing, ...rankArticles(loaded.articles, text).map(({ article }) => article)]);
  const rest = loaded.articles.filter((article) => !near.has(article));
  const rows = rowsOf([...near, ...rest], loaded);
  const shown = fitting(rows, ROW_UNITS, (row) => row.path.length + row.summary.length + 20);
  return {
    specification: readText(loaded.base.specification) ?? SPECIFICATION,
    rows: shown,
    rowsLeftOut: rows.length - shown.length,
    articles: fitting([...near], ARTICLE_UNITS, ({ text: whole }) => whole.length).map((article) => ({
      article,
      edited: edited.has(article.path),
    })),
    log: batch.log,
    text,
  };
}

function rowsOf(articles: readonly Article[], { index }: LoadedBase): IndexRow[] {
  const known = new Map(index.rows.map((row) => [row.path, row]));
  return articles.map(
    ({ path, front }) =>
      known.get(path) ?? { path, summary: front.title, compiledFrom: "", updated: front.updated },
  );
}

function fitting<Value>(values: readonly Value[], units: number, sizeOf: (value: Value) => number): Value[] {
  let left = units;
  return values.filter((value) => {
    const size = sizeOf(value);
    if (size > left) return false;
    left -= size;
    return true;
  });
}
