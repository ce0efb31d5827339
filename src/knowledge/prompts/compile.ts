import type { Prompt } from "../../model/model.ts";
import type { Article } from "../article.ts";
import { type IndexRow, cell } from "../catalog.ts";
import { FENCE_RULE, fenced } from "./fence.ts";

/** Stands beside each call's cost; a new one for every change of the words below. */
export const COMPILE_VERSION = "compile-1";

const SYSTEM = `You are the compiler of a knowledge base: you read a daily log of conversations about a software project and turn what will be needed again into articles. You only answer with data; a program checks it and writes the files.

${FENCE_RULE}

What you get: the base's specification, the list of its articles, those in full that the log is most likely about, and new parts of one log.

What you answer: one JSON object and nothing else.
{"articles":[{"path":"concepts/slug","action":"create","title":"Title","aliases":["other name"],"tags":["tag"],"summary":"one line for the list of articles","body":"the page in markdown, from its title on, without front matter"}]}
- "path": concepts/ or connections/ and a slug of lower-case words with dashes.
- "action": "create" for a page that is not in the list, "update" for one that you were given in full. An update's "body" is the whole new page: what it says already and still holds, and what the log adds.
- "connects": for connections, the paths of the two or more concepts that it joins.
- "summary": under 160 characters, says what the page says, not what it is about.
- "shrinks": only if an update says much less than the page did: why.
- A page marked "edited by its owner" is only added to: send in "body" just what is new, under the page's own headings.
- If the log holds nothing worth a page: {"articles":[],"nothing":"why"}

Rules
1. Follow the specification's page formats. Every body cites the log that you were given as [[daily/…]], written as you were given it.
2. Link only to pages in the list or in your own answer, as [[concepts/slug]]. A page that you create should be linked by another one, old or new, unless there is none.
3. Update instead of creating a page that says nearly the same as one in the list. A page in the list that you were not given in full is none to update.
4. Identifiers, paths, commands, versions, numbers and error texts stand exactly as in the log. Say nothing that neither the log nor the page says. A guess or plan stays one.
5. Where log and page contradict each other, the log is newer: say what holds now, and until when the other did.
6. Dates as 2026-04-01. No secrets, no private matters. The log's language.`;

export interface CompileRequest {
  /** `AGENTS.md` of the base. */
  specification: string;
  /** The articles there are, those nearest to the log first; what did not fit is only counted. */
  rows: readonly IndexRow[];
  rowsLeftOut: number;
  /** In full. */
  articles: readonly { article: Article; edited: boolean }[];
  /** Relative to `daily/`. */
  log: string;
  /** New parts of that log. */
  text: string;
}

export function compilePrompt(request: CompileRequest): Prompt {
  const rows = request.rows.map(
    ({ path, summary, updated }) => `${path} | ${cell(summary)} | ${cell(updated)}`,
  );
  const left =
    request.rowsLeftOut === 0 ? [] : [`(${request.rowsLeftOut} more that share no word with the log)`];
  const pages = request.articles.map(
    ({ article, edited }) =>
      `=== ${article.path}${edited ? " (edited by its owner)" : ""}\n${article.text.trim()}`,
  );
  const user = [
    "Compile the log at the end into the knowledge base.",
    "The base's specification, written by its owner:",
    request.specification.trim(),
    "The list of articles:",
    fenced([...rows, ...left].join("\n") || "(none yet)"),
    "Articles in full:",
    fenced(pages.join("\n\n") || "(none)"),
    `New parts of the log, to be cited as [[daily/${request.log}]]:`,
    fenced(request.text),
    "Answer with the JSON object.",
  ];
  return { system: SYSTEM, user: user.join("\n\n"), json: true, maxOutputTokens: 16_000 };
}
