import { FENCE_RULE, fenced } from "../../knowledge/prompts/fence.ts";
import type { Prompt } from "../../model/model.ts";

/** Stands beside each call's cost; a new one for every change of the words below. */
export const DEEP_VERSION = "memory-audit-1";

const SYSTEM = `You audit the index of a memory: a list of short entries about a software project. You look for two things: entries that contradict each other, and entries that a later one has replaced.

${FENCE_RULE}

Answer with one JSON object and nothing else:
{"contradictions":[{"entries":[3,17],"why":"one sentence"}],"superseded":[{"entry":3,"by":17,"why":"one sentence"}]}
- Name entries by their numbers, and only those that you were given.
- A different level of detail is no contradiction, nor are two different things.
- Superseded means: whoever reads the older entry alone would do the wrong thing now.
- None found: {"contradictions":[],"superseded":[]}`;

export function deepPrompt(entries: readonly { number: number; text: string }[]): Prompt {
  const lines = entries.map(({ number, text }) => `${number} | ${text}`);
  const user = [
    "Which of these entries contradict or replace each other?",
    fenced(lines.join("\n")),
    "Answer with the JSON object.",
  ];
  return { system: SYSTEM, user: user.join("\n\n"), json: true, maxOutputTokens: 4000 };
}
