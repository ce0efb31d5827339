import type { CommandSpec } from "../command.ts";

export const DIGESTS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "build",
    summary: "Fold new observations into the digests",
    args: [{ notation: "[project...]", meaning: "only these projects" }],
    options: [
      { flags: "--type <type>", meaning: "only cells of this type" },
      { flags: "--model <model>", meaning: "instead of MERGE_MODEL" },
      { flags: "--assign <cells>", meaning: "instead of ASSIGN", choices: ["primary", "all"] },
      { flags: "--limit-batches <n>", meaning: "at most so many batches a cell" },
      { flags: "--dry-run", meaning: "show what would be done, with calls and cost; write nothing" },
      { flags: "--yes", meaning: "don't ask before calls that cost something" },
      { flags: "--use-api-key", meaning: "let an API key, gateway or cloud account in the environment pay" },
      { flags: "--rescan", meaning: "look at every row again, for tags changed in place" },
      { flags: "--accept-deletions", meaning: "believe that rows which vanished were deleted" },
      { flags: "--adopt-source", meaning: "let the store start anew with another database" },
    ],
    examples: [
      { line: "persisted-memory build", does: "fold whatever is new, without a model" },
      {
        line: "persisted-memory build widgets-api --dry-run",
        does: "rows, batches and tokens of one project",
      },
      { line: "persisted-memory build --model haiku --yes", does: "what a nightly run does" },
    ],
    json: true,
    load: () => import("../build.ts"),
  },
  {
    name: "read",
    summary: "Print what a session gets of a project, and what it costs",
    args: [{ notation: "[project]", meaning: "else the current folder's" }],
    options: [{ flags: "--all", meaning: "the figures of all projects as a table, without their blocks" }],
    examples: [
      { line: "persisted-memory read", does: "the block of this folder's project; what it costs, on stderr" },
      {
        line: "persisted-memory read widgets-api --json",
        does: "every item of its digests, with its sources",
      },
      { line: "persisted-memory read --all", does: "observations, tokens and ratio of each project" },
    ],
    json: true,
    load: () => import("../read.ts"),
  },
  {
    name: "cluster",
    summary: "Show the shape of claude-mem's database, before anything is built",
    examples: [
      {
        line: "persisted-memory cluster",
        does: "projects, types, months, duplicates, and what would be left out",
      },
      { line: "persisted-memory cluster --json", does: "the same, with every project and tag" },
    ],
    json: true,
    load: () => import("../cluster.ts"),
  },
  {
    name: "status",
    summary: "Show how far each digest is, and what failed last time",
    args: [{ notation: "[project]", meaning: "only this project" }],
    examples: [
      { line: "persisted-memory status", does: "each cell's rows, items, revision and how far it is behind" },
      { line: "persisted-memory status widgets-api", does: "the cells of one project" },
    ],
    json: true,
    load: () => import("../status.ts"),
  },
  {
    name: "runs",
    summary: "Show what runs did and what model calls cost",
    options: [
      { flags: "--days <n>", meaning: "spending of the last so many days (30)" },
      { flags: "--last <n>", meaning: "the newest so many runs (10)" },
      { flags: "--run <id>", meaning: "one run's calls, and what failed in it with every finding" },
    ],
    examples: [
      { line: "persisted-memory runs", does: "calls, tokens and cost by day, model and project" },
      { line: "persisted-memory runs --run 12", does: "each call of run 12, and why a cell was refused" },
    ],
    json: true,
    load: () => import("../runs.ts"),
  },
  {
    name: "seed",
    summary: "Show all of it on an example: build, block, figures",
    args: [{ notation: "[file]", meaning: "with --only: where the example store goes, else ./example.db" }],
    options: [{ flags: "--only", meaning: "only make the example store" }],
    examples: [
      { line: "persisted-memory seed", does: "the whole demo in a temporary folder; nothing of it stays" },
      { line: "persisted-memory seed --only", does: "make ./example.db, to try the other commands on" },
      {
        line: "CLAUDE_MEM_DB=example.db persisted-memory cluster",
        does: "look at it before anything is built",
      },
    ],
    json: true,
    load: () => import("../seed.ts"),
  },
  {
    name: "alias",
    summary: "Let the rows of an old project name belong to a new one",
    args: [
      { notation: "[old]", meaning: "the name that rows carry" },
      { notation: "[new]", meaning: "the project that they belong to" },
    ],
    options: [{ flags: "--remove <old>", meaning: "let the rows belong to their own name again" }],
    examples: [
      { line: "persisted-memory alias widgets widgets-api", does: "after a folder was renamed" },
      { line: "persisted-memory alias", does: "list the aliases" },
      {
        line: "persisted-memory alias --remove widgets",
        does: "undo it; the next build moves the rows back",
      },
    ],
    json: true,
    load: () => import("../alias.ts"),
  },
];
