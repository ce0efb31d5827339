import type { CommandSpec } from "../command.ts";

const DIRECTORY = [
  { notation: "[dir]", meaning: "a memory directory or its MEMORY.md; else that of the working directory" },
] as const;
const APPLY = { flags: "--apply", meaning: "write it; without, only show what would be written" } as const;
const MODEL = [
  { flags: "--model <model>", meaning: "instead of KNOWLEDGE_MODEL" },
  { flags: "--use-api-key", meaning: "let an API key, gateway or cloud account in the environment pay" },
] as const;

export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "memory audit",
    summary: "Say what of MEMORY.md really loads, which lines don't, and which topic files nothing links to",
    args: DIRECTORY,
    options: [
      { flags: "--all", meaning: "every finding and every line that is not loaded" },
      { flags: "--project <path>", meaning: "check paths and counts against this folder" },
      { flags: "--deep", meaning: "ask a model for contradictions and superseded entries" },
      ...MODEL,
    ],
    examples: [
      {
        line: "persisted-memory memory audit",
        does: "the memory of the project you are in; exit 1 on errors",
      },
      { line: "persisted-memory memory audit ~/.claude/agent-memory/reviewer", does: "a subagent's memory" },
      { line: "persisted-memory memory audit --json", does: "everything, for a script" },
    ],
    json: true,
    load: () => import("../memory-audit.ts"),
  },
  {
    name: "memory archive",
    summary: "Move entries that are old enough to archive.md, with their titles kept in the index",
    args: DIRECTORY,
    options: [
      APPLY,
      { flags: "--days <n>", meaning: "older than so many days, instead of ARCHIVE_THRESHOLD_DAYS" },
      { flags: "--max-lines <n>", meaning: "act over so many active lines, instead of MAX_LINES" },
      { flags: "--usage <fraction>", meaning: "act from this share of either cap on (0.8)" },
      { flags: "--mtime", meaning: "for entries without a date, take the time their file was last changed" },
    ],
    examples: [
      { line: "persisted-memory memory archive", does: "show what would move" },
      { line: "persisted-memory memory archive --apply", does: "move it; `memory undo` takes it back" },
      {
        line: "persisted-memory memory archive --days 90 --max-lines 0",
        does: "a preview with other limits",
      },
    ],
    json: true,
    load: () => import("../memory-archive.ts"),
  },
  {
    name: "memory extract",
    summary: "Make sections that have outgrown the index topic files, each with one line left in the index",
    args: DIRECTORY,
    options: [
      APPLY,
      { flags: "--section <title...>", meaning: "these sections, from 5 lines on; else all over 15 lines" },
    ],
    examples: [
      { line: "persisted-memory memory extract", does: "show which sections would move" },
      { line: 'persisted-memory memory extract --section "Deployment" --apply', does: "move one section" },
    ],
    json: true,
    load: () => import("../memory-extract.ts"),
  },
  {
    name: "memory merge",
    summary: "Fold entries that say the same into one; the lines that leave go to archive.md",
    args: DIRECTORY,
    options: [APPLY, ...MODEL],
    examples: [
      { line: "persisted-memory memory merge", does: "show near-duplicates and what would stand for them" },
      {
        line: "persisted-memory memory merge --model haiku",
        does: "let a model find and word them; a preview as well",
      },
    ],
    json: true,
    load: () => import("../memory-merge.ts"),
  },
  {
    name: "memory init",
    summary: "Make a missing memory directory or index",
    args: DIRECTORY,
    options: [APPLY],
    examples: [
      { line: "persisted-memory memory init --apply", does: "make MEMORY.md for the project you are in" },
    ],
    json: true,
    load: () => import("../memory-init.ts"),
  },
  {
    name: "memory undo",
    summary: "Take the last change of ours to a memory directory back, also one that a crash interrupted",
    args: DIRECTORY,
    options: [APPLY],
    examples: [
      { line: "persisted-memory memory undo", does: "show what would be put back" },
      {
        line: "persisted-memory memory undo --apply",
        does: "put it back; again for the change before, up to 20",
      },
    ],
    json: true,
    load: () => import("../memory-undo.ts"),
  },
  {
    name: "memory gate snapshot",
    summary: "Note which files can be reached, before somebody rewrites the index",
    args: DIRECTORY,
    examples: [{ line: "persisted-memory memory gate snapshot", does: "before the rewrite" }],
    json: true,
    load: () => import("../memory-gate-snapshot.ts"),
  },
  {
    name: "memory gate check",
    summary: "Refuse (exit 4) a rewrite after which a file lost its last link without a decision",
    args: DIRECTORY,
    options: [
      { flags: "--decide <decision...>", meaning: "NAME=deleted, or NAME=absorbed:ENTRY" },
      { flags: "--apply", meaning: "mark absorbing entries in the index (— absorbed NAME.md)" },
    ],
    examples: [
      { line: "persisted-memory memory gate check", does: "after the rewrite" },
      {
        line: "persisted-memory memory gate check --decide old.md=deleted",
        does: "say that a file went on purpose",
      },
      {
        line: 'persisted-memory memory gate check --decide "ci.md=absorbed:Build notes" --apply',
        does: "say which entry took over what a file said, and mark it there",
      },
    ],
    json: true,
    load: () => import("../memory-gate-check.ts"),
  },
];
