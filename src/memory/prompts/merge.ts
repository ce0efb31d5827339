import { FENCE_RULE, fenced } from "../../knowledge/prompts/fence.ts";
import type { Prompt } from "../../model/model.ts";

/** Stands beside each call's cost; a new one for every change of the words below. */
export const MERGE_VERSION = "memory-merge-1";

const SYSTEM = `You tidy the index of a memory: a list of short entries that is loaded whole into every session. You find entries that say the same, or of which one replaces another, and write one entry for each such group. You only answer with data; a program checks it, shows it to a person and keeps the old entries in an archive.

${FENCE_RULE}

Answer with one JSON object and nothing else:
{"groups":[{"entries":[3,17],"text":"- [Title](file.md) — what both say (2026-04-01)"}]}
- "entries": the numbers of two or more entries. An entry stands in one group at most.
- "text": one line, a list item in the manner of those it replaces, under 200 characters.
- Keep every link of the group's entries, with its target as written.
- Identifiers, paths, commands, versions and numbers stand exactly as in the entries. Say nothing that none of them says. "probably" and "not" stay.
- Where two contradict each other, the newer one holds; keep its date.
- Entries that only speak of the same subject are no group.
- None found: {"groups":[]}`;

export function mergePrompt(entries: readonly { number: number; text: string }[]): Prompt {
  const lines = entries.map(({ number, text }) => `${number} | ${text}`);
  const user = [
    "Which entries of this index are one?",
    fenced(lines.join("\n")),
    "Answer with the JSON object.",
  ];
  return { system: SYSTEM, user: user.join("\n\n"), json: true, maxOutputTokens: 8000 };
}
