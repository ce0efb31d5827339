import { z } from "zod";
import type { Model } from "../model/model.ts";
import { type Asked, type Reading, ask, findObject } from "./answer.ts";
import { type Article, renderArticle, slugOf } from "./article.ts";
import type { IndexRow } from "./catalog.ts";
import { filesOf } from "./change.ts";
import { type CommitOutcome, commitFiles } from "./commit.ts";
import { localDay } from "./day.ts";
import { linkTarget, wikilinks } from "./links.ts";
import { type LoadedBase, isEdited } from "./loaded.ts";
import { answerPrompt, pickPrompt } from "./prompts/query.ts";
import { rankArticles } from "./rank.ts";
import { statementOf } from "./summary.ts";

/** What the list of pages and the pages themselves may take in a prompt, in UTF-16 units. */
export const QUERY_UNITS = { index: 60_000, articles: 60_000 };

const MOST_ARTICLES = 10;

export interface QueryAnswer {
  /** Markdown; empty where the base does not say. */
  answer: string;
  /** What the base does not say; empty where it answers. */
  missing: string;
  /** Paths of the articles that were read in full. */
  consulted: readonly string[];
  followUps: readonly string[];
}

/** Offline: the articles nearest to the question, best first, with the words around what was found. */
export function searchBase(
  loaded: LoadedBase,
  question: string,
  most = MOST_ARTICLES,
): { path: string; title: string; summary: string; snippet: string }[] {
  const rows = new Map(loaded.index.rows.map((row) => [row.path, row.summary]));
  return rankArticles(loaded.articles, question)
    .slice(0, most)
    .map(({ article, snippet }) => ({
      path: article.path,
      title: article.front.title || article.path,
      summary: rows.get(article.path) ?? statementOf(article.front.title, article.body),
      snippet,
    }));
}

/** Two questions to the model: which articles, then the answer from those alone; its citations are checked. */
export async function queryBase(
  loaded: LoadedBase,
  question: string,
  model: Model,
  signal: AbortSignal,
): Promise<Asked<QueryAnswer>> {
  const picked = await ask(
    model,
    pickPrompt(question, candidates(loaded, question)),
    (answer) => readPick(answer, loaded),
    signal,
  );
  if (picked.kind !== "answered") return picked;
  const articles = fitting(picked.value);
  if (articles.length === 0) {
    return {
      kind: "answered",
      value: { answer: "", missing: "no article has to do with it", consulted: [], followUps: [] },
    };
  }
  const asked = await ask(
    model,
    answerPrompt(question, articles),
    (answer) => readAnswer(answer, articles),
    signal,
  );
  if (asked.kind !== "answered") return asked;
  return { kind: "answered", value: { ...asked.value, consulted: articles.map(({ path }) => path) } };
}

/** Keeps an answer as an article of its own. Asked again, the question's article is written anew unless somebody edited it. */
export function fileAnswer(
  loaded: LoadedBase,
  question: string,
  answer: QueryAnswer,
  at: Date,
): { path: string; outcome: CommitOutcome } {
  const path = pathFor(loaded, question);
  const body = [
    `# Q: ${question.replaceAll(/\s+/g, " ").trim()}`,
    `## Answer\n\n${answer.answer.trim()}`,
    `## Sources Consulted\n\n${answer.consulted.map((source) => `- [[${source}]]`).join("\n")}`,
    ...(answer.followUps.length === 0
      ? []
      : [`## Follow-Up Questions\n\n${answer.followUps.map((text) => `- ${text}`).join("\n")}`]),
  ].join("\n\n");
  const title = question.replaceAll(/\s+/g, " ").trim();
  const text = renderArticle(
    path,
    {
      title,
      question: title,
      consulted: answer.consulted,
      filed: localDay(at),
      aliases: [],
      tags: [],
      sources: [],
      connects: [],
      created: "",
      updated: "",
      other: {},
    },
    body,
  );
  const links = answer.consulted.map((source) => `[[${source}]]`).join(", ");
  const files = filesOf(loaded, {
    pages: [{ path, text, summary: statementOf(title, answer.answer) }],
    entry: {
      at,
      operation: "query",
      subject: title,
      bullets: [
        ["consulted", links],
        ["filed", `[[${path}]]`],
      ],
    },
  });
  return { path, outcome: commitFiles(loaded.base.knowledge, files) };
}

/** The index, or of one that is too long the rows of the articles that share words with the question. */
function candidates(loaded: LoadedBase, question: string): IndexRow[] {
  const known = new Map(loaded.index.rows.map((row) => [row.path, row]));
  const rowFor = ({ path, front }: Article): IndexRow =>
    known.get(path) ?? { path, summary: front.title, compiledFrom: "", updated: front.updated };
  const all = loaded.articles.map(rowFor);
  const size = (row: IndexRow) => row.path.length + row.summary.length + 20;
  if (all.reduce((sum, row) => sum + size(row), 0) <= QUERY_UNITS.index) return all;
  let left = QUERY_UNITS.index;
  return rankArticles(loaded.articles, question)
    .map(({ article }) => rowFor(article))
    .filter((row) => (left -= size(row)) >= 0);
}

function fitting(articles: readonly Article[]): Article[] {
  let left = QUERY_UNITS.articles;
  return articles.filter(({ text }) => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  });
}

const Pick = z.object({ articles: z.array(z.string()) });

function readPick(answer: string, loaded: LoadedBase): Reading<Article[]> {
  const parsed = Pick.safeParse(findObject(answer));
  if (!parsed.success) return { kind: "unreadable", findings: ['the answer is not {"articles":[…]}'] };
  const paths = new Set(parsed.data.articles.map((path) => linkTarget(path.replace(/^\[\[(.*)\]\]$/, "$1"))));
  const found = [...paths].flatMap((path) => loaded.articles.find((article) => article.path === path) ?? []);
  if (paths.size > 0 && found.length === 0) {
    return { kind: "rejected", findings: [...paths].map((path) => `there is no page ${path}`) };
  }
  return { kind: "read", value: found.slice(0, MOST_ARTICLES) };
}

const Answered = z.object({
  answer: z.string(),
  missing: z.string().default(""),
  followUps: z
    .array(z.string().transform((text) => text.replaceAll(/\s+/g, " ").trim()))
    .max(10)
    .default([]),
});

function readAnswer(text: string, articles: readonly Article[]): Reading<Omit<QueryAnswer, "consulted">> {
  const parsed = Answered.safeParse(findObject(text));
  if (!parsed.success) return { kind: "unreadable", findings: ['the answer is not {"answer":"…"}'] };
  const { answer, missing } = parsed.data;
  if (answer.trim() === "") {
    return missing === ""
      ? { kind: "rejected", findings: ['the answer is empty; say in "missing" what the base lacks'] }
      : { kind: "read", value: { ...parsed.data, answer: "" } };
  }
  const given = new Set(articles.map(({ path }) => path));
  const cited = wikilinks(answer).filter((link) => !link.startsWith("daily/"));
  const wrong = [...new Set(cited)]
    .filter((link) => !given.has(link))
    .map((link) => `[[${link}]] is none of the pages that you were given`);
  if (wrong.length > 0) return { kind: "rejected", findings: wrong };
  if (cited.length === 0) return { kind: "rejected", findings: ["the answer cites no page"] };
  return { kind: "read", value: parsed.data };
}

function pathFor(loaded: LoadedBase, question: string): string {
  const plain = `qa/${slugOf(question)}`;
  const taken = new Map(loaded.articles.map((article) => [article.path, article]));
  for (let n = 1; ; n++) {
    const path = n === 1 ? plain : `${plain}-${n}`;
    const there = taken.get(path);
    if (there === undefined) return path;
    const same = there.front.question.toLowerCase() === question.replaceAll(/\s+/g, " ").trim().toLowerCase();
    if (same && !isEdited(there, loaded.record)) return path;
  }
}
