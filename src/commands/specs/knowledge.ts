import type { CommandSpec } from "../command.ts";

const MODEL = [
  { flags: "--model <model>", meaning: "instead of KNOWLEDGE_MODEL" },
  { flags: "--use-api-key", meaning: "let an API key, gateway or cloud account in the environment pay" },
] as const;

export const KNOWLEDGE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "knowledge flush",
    summary: "Write down what the hooks kept of ended and compacted sessions, as entries of the daily logs",
    options: [
      { flags: "--wait", meaning: "also wait for what is due within a minute; what the hooks start" },
      ...MODEL,
    ],
    examples: [
      { line: "persisted-memory knowledge flush", does: "by rules, without a model" },
      {
        line: "persisted-memory knowledge flush --model haiku",
        does: "a model chooses what is worth keeping",
      },
    ],
    json: true,
    load: () => import("../knowledge-flush.ts"),
  },
  {
    name: "knowledge compile",
    summary: "Turn new and changed daily logs into linked articles",
    options: [
      { flags: "--all", meaning: "every log again, compiled or not" },
      { flags: "--file <log...>", meaning: "only these logs, compiled or not" },
      { flags: "--until <day>", meaning: "only changed logs up to this day (2026-04-01)" },
      { flags: "--dry-run", meaning: "show what would be asked, with tokens and cost; write nothing" },
      ...MODEL,
    ],
    examples: [
      {
        line: "persisted-memory knowledge compile --dry-run",
        does: "logs, calls and tokens of the next compile",
      },
      { line: "persisted-memory knowledge compile --model haiku", does: "compile what is new" },
      {
        line: "persisted-memory knowledge compile --file 2026-04-01 --model sonnet",
        does: "compile one day again",
      },
    ],
    json: true,
    load: () => import("../knowledge-compile.ts"),
  },
  {
    name: "knowledge query",
    summary: "Answer a question from the articles, with links to them; without a model, find the articles",
    args: [{ notation: "<question...>", meaning: "in words" }],
    options: [{ flags: "--file-back", meaning: "keep the answer as an article" }, ...MODEL],
    examples: [
      {
        line: 'persisted-memory knowledge query "why do retries need a jitter?"',
        does: "the nearest articles, best first",
      },
      {
        line: 'persisted-memory knowledge query --model haiku --file-back "how do we deploy?"',
        does: "an answer, kept for next time",
      },
    ],
    json: true,
    load: () => import("../knowledge-query.ts"),
  },
  {
    name: "knowledge lint",
    summary: "Check the articles: broken links, orphans, stale, sparse and unlisted pages, contradictions",
    options: [
      { flags: "--structural-only", meaning: "without the check that needs a model" },
      { flags: "--fix", meaning: "add missing backlinks and index rows" },
      ...MODEL,
    ],
    examples: [
      {
        line: "persisted-memory knowledge lint --structural-only",
        does: "everything that needs no model; exit 1 on errors",
      },
      { line: "persisted-memory knowledge lint --fix", does: "mend what is mechanical" },
    ],
    json: true,
    load: () => import("../knowledge-lint.ts"),
  },
  {
    name: "knowledge status",
    summary: "Show the base of this project: logs, queue, articles, last compile, cost so far",
    examples: [{ line: "persisted-memory knowledge status", does: "where the base is and what waits" }],
    json: true,
    load: () => import("../knowledge-status.ts"),
  },
];
