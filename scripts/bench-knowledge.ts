#!/usr/bin/env bun
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeKnowledgeBase, writeKnowledgeBase } from "../seed/knowledge-base.ts";
import { makeTranscript } from "../seed/transcripts.ts";
import { baseAt } from "../src/knowledge/base.ts";
import { lintBase } from "../src/knowledge/lint.ts";
import { loadBase } from "../src/knowledge/loaded.ts";
import { searchBase } from "../src/knowledge/query.ts";
import { readTail } from "../src/knowledge/transcript.ts";

/**
 * What the knowledge compiler's own work takes, each the least of so many runs: hooks as whole processes beside
 * a bare Bun, lint and search beside reading the same files, a long transcript's tail. Prints a Markdown table.
 *
 *   bun scripts/bench-knowledge.ts [RUNS]
 */
const RUNS = Number(process.argv[2] ?? 15);
const ARTICLES = 300;
const FAULTS = {
  "broken-link": 46,
  unlisted: 12,
  "orphan-page": 9,
  "orphan-source": 6,
  "stale-article": 14,
  "missing-backlink": 40,
  "sparse-article": 25,
};
const HOOK = join(import.meta.dirname, "..", "src", "hook.ts");

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "pmem-bench-"));
  try {
    console.log("| what | ms | × |\n|---|---:|---:|");
    writeKnowledgeBase(
      join(folder, "base"),
      makeKnowledgeBase({ seed: 1, articles: ARTICLES, faults: FAULTS }),
    );
    mkdirSync(join(folder, "project"));
    writeFileSync(join(folder, "empty.ts"), "");
    settle(folder);
    await measureHooks(folder);
    measureBase(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureHooks(folder: string): Promise<void> {
  const cwd = join(folder, "project");
  const start = JSON.stringify({ cwd, source: "startup", hook_event_name: "SessionStart" });
  const run = (argv: readonly string[], stdin: string, before = () => {}) =>
    processTime(folder, argv, stdin, before);
  const bare = await run([join(folder, "empty.ts")], "");
  row("bare bun", bare);
  await run([HOOK, "session-start-knowledge"], start);
  row(
    "hook session-start-knowledge, nothing changed",
    await run([HOOK, "session-start-knowledge"], start),
    bare,
  );
  let turn = 0;
  const touch = () => {
    const then = new Date(Date.now() - 50_000 + ++turn);
    utimesSync(join(folder, "base/knowledge/index.md"), then, then);
  };
  row(
    `the same, index of ${ARTICLES} articles changed`,
    await run([HOOK, "session-start-knowledge"], start, touch),
    bare,
  );
  const transcript = join(folder, "t.jsonl");
  writeLongTranscript(transcript);
  row(
    "reading the tail of a 50 MB transcript",
    least(() => readTail(transcript, { turns: 30, units: 15_000 })),
  );
  const end = JSON.stringify({
    session_id: "s",
    transcript_path: transcript,
    cwd,
    hook_event_name: "SessionEnd",
  });
  row("hook session-end on it", await run([HOOK, "session-end"], end), bare);
}

function measureBase(folder: string): void {
  const base = baseAt(join(folder, "base"));
  const reading = least(() => readAll(base.root));
  row(`reading the bytes of ${ARTICLES} articles and their logs`, reading);
  row(
    "lint: load, parse, all structural checks",
    least(() => lintBase(loadBase(base))),
    reading,
  );
  const loaded = loadBase(base);
  row(
    "lint: the checks alone",
    least(() => lintBase(loaded)),
    reading,
  );
  row(
    "search for a question",
    least(() => searchBase(loaded, "why does the feature flag wait for a lock?")),
    reading,
  );
}

function row(what: string, ms: number, against?: number): void {
  console.log(`| ${what} | ${ms.toFixed(1)} | ${against === undefined ? "" : (ms / against).toFixed(2)} |`);
}

function least(run: () => unknown): number {
  let best = Infinity;
  for (let n = 0; n < RUNS; n++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

async function processTime(
  folder: string,
  argv: readonly string[],
  stdin: string,
  before: () => void,
): Promise<number> {
  let best = Infinity;
  for (let n = 0; n < RUNS; n++) {
    before();
    const start = performance.now();
    const child = Bun.spawn([process.execPath, ...argv], {
      cwd: join(folder, "project"),
      // with a model's name session-end starts no build
      env: { HOME: folder, KNOWLEDGE_DIR: join(folder, "base"), MERGE_MODEL: "haiku" },
      stdin: Buffer.from(stdin),
      stdout: "ignore",
    });
    await child.exited;
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function readAll(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) readFileSync(join(entry.parentPath, entry.name), "utf8");
  }
}

function writeLongTranscript(path: string): void {
  const { jsonl } = makeTranscript({ seed: 1, exchanges: 40, noise: 3 });
  const line = `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "tool_result", content: "y".repeat(20_000) }] } })}\n`;
  writeFileSync(path, `${line.repeat(2000)}${jsonl}${line.repeat(400)}`);
}

/** Answers from files of this very moment are not kept. */
function settle(root: string): void {
  const then = new Date(Date.now() - 60_000);
  for (const path of new Bun.Glob("**/*").scanSync({ cwd: root, dot: true, onlyFiles: false }))
    utimesSync(join(root, path), then, then);
}
