import { Database } from "bun:sqlite";
import { createRandom } from "./random.ts";

const VERBS = [
  "caches",
  "parses",
  "rejects",
  "retries",
  "validates",
  "streams",
  "compacts",
  "signs",
  "merges",
  "loads",
];
const THINGS = [
  "request",
  "session",
  "token",
  "config",
  "schema",
  "payload",
  "index",
  "batch",
  "worker",
  "queue",
  "digest",
  "snapshot",
];
const WHEN = [
  "silently",
  "twice",
  "lazily",
  "before the migration",
  "after a restart",
  "under load",
  "on Windows",
  "when the cache is cold",
  "in tests",
];
const MODULES = ["auth", "billing", "search", "sync", "upload", "export", "import", "router", "cron", "mail"];
const CONCEPTS = [
  "decision",
  "gotcha",
  "trade-off",
  "problem-solution",
  "pattern",
  "why-it-exists",
  "how-it-works",
  "what-changed",
];
const TYPES = ["discovery", "bugfix", "feature", "change", "decision", "refactor"];
/** Shares of a lopsided history: more than half in one project. */
const PROJECTS = ["atlas", "atlas", "atlas", "atlas", "beacon", "beacon", "cedar", "delta"];

const FIRST_EPOCH = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/**
 * Makes a claude-mem database of `rows` observations of real ones' size (about 1.9 KB with their lists of
 * files) for benchmarks: the same rows for the same number, no two alike.
 */
export function makeLongHistory(path: string, rows: number): void {
  const random = createRandom(rows);
  const pick = (words: readonly string[]) => words[random(words.length)] ?? "";
  const file = () => `src/${pick(MODULES)}/${pick(THINGS)}${random(40)}.ts`;
  const list = (count: number, make: () => string) => Array.from({ length: count }, make);
  const sentence = () =>
    `The ${pick(MODULES)} ${pick(THINGS)} ${pick(VERBS)} the ${pick(THINGS)} ${pick(WHEN)} in ${file()} because ${pick(THINGS)}_${pick(VERBS)}_${random(900)} took ${random(9000)} ms`;
  const db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = OFF");
  db.run(`CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL,
    title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0,
    content_hash TEXT, generated_by_model TEXT, relevance_count INTEGER DEFAULT 0, merged_into_project TEXT,
    agent_type TEXT, agent_id TEXT, metadata TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT,
    sync_rev TEXT NOT NULL DEFAULT '1')`);
  db.run("CREATE INDEX idx_observations_project ON observations(project)");
  db.run("CREATE INDEX idx_observations_created ON observations(created_at_epoch DESC)");
  db.run("CREATE INDEX idx_observations_type ON observations(type)");
  db.run("CREATE INDEX idx_observations_merged_into ON observations(merged_into_project)");
  const insert =
    db.query(`INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts,
    files_read, files_modified, created_at, created_at_epoch, discovery_tokens, content_hash, generated_by_model)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'claude-haiku-4-5')`);
  db.transaction(() => {
    for (let row = 0; row < rows; row++) {
      const epoch = FIRST_EPOCH + row * MINUTE;
      insert.run(
        `session-${row >> 5}`,
        pick(PROJECTS),
        pick(TYPES),
        `${pick(MODULES)}: ${pick(THINGS)} ${pick(VERBS)} ${pick(WHEN)} since v${random(9)}.${random(40)}.${row % 90}`,
        `How the ${pick(MODULES)} ${pick(THINGS)} behaves ${pick(WHEN)}`,
        JSON.stringify(list(3 + random(3), sentence)),
        `${list(3 + random(3), sentence).join(". ")}.`,
        JSON.stringify(list(1 + random(3), () => pick(CONCEPTS))),
        JSON.stringify(list(1 + random(4), file)),
        JSON.stringify(list(1 + random(3), file)),
        new Date(epoch).toISOString(),
        epoch,
        random(9000),
        random(2 ** 31).toString(16),
      );
    }
  })();
  db.close();
}
