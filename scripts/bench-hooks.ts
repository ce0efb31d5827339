import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../src/store/open.ts";
import { ITEM_IDS_PER_DIGEST } from "../src/store/peek.ts";

/**
 * What our hooks take beside a bare Bun: each as a whole process, all of them in turn, the least of many runs.
 * Arguments: how many runs, and claude-mem's folder (as npm unpacks it) to compare with.
 */
const runs = Number(process.argv[2] ?? 40);
const claudeMem = process.argv[3];

const ROOT = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "pmem-bench-"));
const project = join(folder, "widgets-api");
const env = { HOME: folder, PATH: process.env["PATH"] ?? "", CLAUDE_PROJECT_DIR: project };

const workerWords = [process.execPath, join(claudeMem ?? "", "plugin/scripts/worker-service.cjs")];

interface Contender {
  name: string;
  words: string[];
  /** Before each run, not counted. */
  before?: () => void;
  env?: Record<string, string>;
  event?: Record<string, unknown>;
}

try {
  makeProject();
  const contenders = [...ours(), ...theirs()];
  const least = contenders.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < runs; run++) {
    for (const [at, contender] of contenders.entries()) least[at] = Math.min(least[at] ?? 0, once(contender));
  }
  const [bare = 1] = least;
  for (const [at, { name }] of contenders.entries()) {
    const milliseconds = least[at] ?? 0;
    console.log(
      `${name.padEnd(58)} ${milliseconds.toFixed(1).padStart(8)} ms  ${(milliseconds / bare).toFixed(2).padStart(7)} ×`,
    );
  }
} finally {
  if (claudeMem !== undefined) worker("stop");
  rmSync(folder, { recursive: true, force: true });
}

function ours(): Contender[] {
  const empty = join(folder, "empty.ts");
  writeFileSync(empty, "");
  const bundle = join(ROOT, "plugin/dist/hook.js");
  const source = join(ROOT, "src/hook.ts");
  const apart = join(folder, "state-apart"); // no answers are kept there from run to run
  const index = { tool_name: "Write", tool_input: { file_path: join(project, "src/index.ts") } };
  return [
    { name: "bun, an empty file", words: [process.execPath, empty] },
    { name: "session-start, as installed", words: [process.execPath, bundle, "session-start"] },
    { name: "session-start, from the sources", words: [process.execPath, source, "session-start"] },
    {
      name: "session-start, after the store changed",
      words: [process.execPath, bundle, "session-start"],
      before: () => rmSync(apart, { recursive: true, force: true }),
      env: { XDG_STATE_HOME: apart },
    },
    {
      name: "session-start-knowledge, as installed",
      words: [process.execPath, bundle, "session-start-knowledge"],
    },
    { name: "user-prompt-submit, as installed", words: [process.execPath, bundle, "user-prompt-submit"] },
    {
      name: "post-tool-use (no memory file), as installed",
      words: [process.execPath, bundle, "post-tool-use"],
      event: index,
    },
    { name: "pre-compact (nothing to keep), as installed", words: [process.execPath, bundle, "pre-compact"] },
  ];
}

/** claude-mem's own SessionStart hook, with an empty database; its worker runs meanwhile. */
function theirs(): Contender[] {
  if (claudeMem === undefined) return [];
  worker("start");
  return [{ name: "claude-mem's context hook", words: [...workerWords, "hook", "claude-code", "context"] }];
}

function worker(word: "start" | "stop"): void {
  Bun.spawnSync([...workerWords, word], { cwd: project, env, stdin: "ignore" });
}

function once({ words, before, event, env: more }: Contender): number {
  before?.();
  const input = {
    session_id: "s",
    cwd: project,
    source: "startup",
    hook_event_name: "SessionStart",
    ...event,
  };
  const stdin = Buffer.from(JSON.stringify(input));
  const start = performance.now();
  const { exitCode } = Bun.spawnSync(words, {
    cwd: project,
    env: { ...env, ...more },
    stdin,
    stdout: "ignore",
    stderr: "ignore",
  });
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}`);
  return performance.now() - start;
}

/** A repository with 100,000 units of digests, as if built a while ago. */
function makeProject(): void {
  for (const path of ["widgets-api/.git/objects", "widgets-api/.git/refs"])
    mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  const path = join(folder, ".local/share/persisted-memory/digests.db");
  const store = openStore(path);
  const now = Date.now();
  store.write(() => {
    const sql = store.client;
    sql
      .query(
        "INSERT INTO projects (id, name, observations, raw_tokens) VALUES (1, 'widgets-api', 1640, 310000)",
      )
      .run();
    for (const [at, type] of ["decision", "gotcha", "pattern", "how-it-works"].entries()) {
      sql
        .query(
          "INSERT INTO digests (id, project_id, type, revision, source_max_id, source_max_epoch, units, updated_at) VALUES (?, 1, ?, 1, 1, ?, 25000, ?)",
        )
        .run(at + 1, type, now, now);
      for (let item = 0; item < 150; item++) {
        const id = (at + 1) * ITEM_IDS_PER_DIGEST + item;
        const text = `src/module-${item}.ts keeps ${"its retries and timeouts in one table ".repeat(3)}`;
        sql
          .query("INSERT INTO items VALUES (?, ?, ?, ?, ?, 0, 0, 'merged', ?)")
          .run(id, at + 1, text, now, now, item);
        sql.query("INSERT INTO item_sources VALUES (?, ?)").run(id, item + 1);
      }
    }
  });
  store.close();
  const then = new Date(now - 60_000);
  utimesSync(path, then, then);
}
