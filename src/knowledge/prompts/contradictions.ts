import type { Prompt } from "../../model/model.ts";
import type { Article } from "../article.ts";
import { FENCE_RULE, fenced } from "./fence.ts";

/** Stands beside each call's cost; a new one for every change of the words below. */
export const CONTRADICTIONS_VERSION = "contradictions-1";

const SYSTEM = `You look for contradictions in a knowledge base: two statements of which at most one can hold now, in two articles or in one.

${FENCE_RULE}

Answer with one JSON object and nothing else:
{"contradictions":[{"first":{"path":"concepts/a","quote":"words of that article"},"second":{"path":"concepts/b","quote":"words of that article"},"why":"what they disagree about, in one sentence"}]}
- Each quote is copied from its article exactly, a sentence or the part of one that matters.
- No contradiction: a change that one of them tells with its date, a different level of detail, two different things, a guess beside a fact.
- None found: {"contradictions":[]}`;

export function contradictionsPrompt(articles: readonly Article[]): Prompt {
  const pages = articles.map(({ path, text }) => `=== ${path}\n${text.trim()}`).join("\n\n");
  const user = [
    "Which of these articles contradict each other?",
    fenced(pages),
    "Answer with the JSON object.",
  ];
  return { system: SYSTEM, user: user.join("\n\n"), json: true, maxOutputTokens: 3000 };
}
