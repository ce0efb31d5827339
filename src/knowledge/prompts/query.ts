import type { Prompt } from "../../model/model.ts";
import type { Article } from "../article.ts";
import { type IndexRow, cell } from "../catalog.ts";
import { FENCE_RULE, fenced } from "./fence.ts";

/** Stands beside each call's cost; a new one for every change of the words below. */
export const QUERY_VERSION = "query-1";

const PICK = `You find the pages of a knowledge base that a question needs. You get the question and the list of all pages, one line each.

${FENCE_RULE}

Answer with one JSON object and nothing else: {"articles":["concepts/slug"]}
Name three to ten pages by their paths, the most useful first; fewer if fewer have to do with it; none if none has.`;

export function pickPrompt(question: string, rows: readonly IndexRow[]): Prompt {
  const list = rows
    .map(({ path, summary, updated }) => `${path} | ${cell(summary)} | ${cell(updated)}`)
    .join("\n");
  const user = [
    "Which pages does this question need?",
    fenced(question),
    "The pages:",
    fenced(list),
    "Answer with the JSON object.",
  ];
  return { system: PICK, user: user.join("\n\n"), json: true, maxOutputTokens: 1000 };
}

const ANSWER = `You answer a question from pages of a knowledge base, and from nothing else.

${FENCE_RULE}

Answer with one JSON object and nothing else:
{"answer":"markdown","followUps":["a question worth asking next"]}
- Every claim names the page it comes from as [[concepts/slug]], only pages that you were given.
- Identifiers, paths, commands, numbers and error texts stand exactly as on the page. Doubt stays doubt.
- Where pages contradict each other, say so; the later date usually holds.
- First the answer in a sentence or two, then what supports it. In the question's language. No heading.
- Up to three follow-up questions that the base could answer or should be able to.
If the pages do not answer it: {"answer":"","missing":"what the base does not say"}`;

export function answerPrompt(question: string, articles: readonly Article[]): Prompt {
  const pages = articles.map(({ path, text }) => `=== ${path}\n${text.trim()}`).join("\n\n");
  const user = [
    "Answer this question from the pages.",
    fenced(question),
    "The pages:",
    fenced(pages),
    "Answer with the JSON object.",
  ];
  return { system: ANSWER, user: user.join("\n\n"), json: true, maxOutputTokens: 4000 };
}
