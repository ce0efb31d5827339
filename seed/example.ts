import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { Exit, UserError } from "../src/errors.ts";
import type { Note } from "./note.ts";
import { TIDES_STORY } from "./tides-story.ts";
import { WIDGETS_STORY } from "./widgets-story.ts";
import { widgetsRoutine } from "./widgets-routine.ts";

/** Tells a database that we made from anybody else's. "pMEx"; claude-mem's own files have 0. */
export const EXAMPLE_ID = 0x704d4578;

/** What a check of the example can rely on. */
export interface Example {
  rows: number;
  /** Effective projects, without those that are left out. */
  projects: readonly string[];
}

/**
 * Makes the example store: a claude-mem database as its version 13.25 leaves it, with a history that has
 * everything a real one has. The same bytes of text at every call. Replaces an example that stands there,
 * and refuses any other file.
 */
export function makeExample(path: string): Example {
  const db = openExample(path);
  try {
    const notes = history();
    db.transaction(() => {
      for (const statement of SCHEMA) db.run(statement);
      write(db, notes);
    })();
    return { rows: notes.length, projects: ["widgets-api", "tide-charts"] };
  } finally {
    db.close();
  }
}

function openExample(path: string): Database {
  const known = existsSync(path);
  const db = new Database(path, { create: true });
  if (known && !isExample(db)) {
    db.close();
    throw new UserError({
      code: "not-an-example",
      message: `${path} is there and is no example of ours`,
      hint: "name another file: persisted-memory seed --only FILE",
      exit: Exit.usage,
    });
  }
  if (known) db.run("DROP TABLE IF EXISTS observations");
  if (known) db.run("DROP TABLE IF EXISTS sdk_sessions");
  db.run(`PRAGMA application_id = ${EXAMPLE_ID}`);
  db.run("PRAGMA journal_mode = WAL");
  return db;
}

function isExample(db: Database): boolean {
  try {
    return (
      db.query<{ application_id: number }, []>("PRAGMA application_id").get()?.application_id === EXAMPLE_ID
    );
  } catch {
    return false; // no database at all
  }
}

/** A note with the moment that its row gets; rows are committed in the order of the list. */
interface Row extends Note {
  /** Milliseconds. */
  epoch: number;
  session: string;
  prompt: number;
}

const BEGIN = Date.UTC(2025, 8, 2, 8);
const DAY = 86_400_000;

function history(): Row[] {
  const random = mulberry32(20_250_902);
  const notes = [...WIDGETS_STORY, ...widgetsRoutine(random), ...TIDES_STORY, ...oddities()].toSorted(
    (a, b) => a.day - b.day,
  );
  const isLate = (_: Note, at: number) => at % 60 === 40;
  return [
    ...inSessions(
      notes.filter((own, at) => !isLate(own, at)),
      random,
    ),
    ...late(notes.filter(isLate)),
  ];
}

/**
 * Notes of a project and a day share a session. Every few notes one response had two: they have the same
 * epoch, to the millisecond.
 */
function inSessions(notes: readonly Note[], random: () => number): Row[] {
  const open = new Map<string, { session: string; day: number; prompt: number; epoch: number }>();
  let sessions = 0;
  return notes.map((own) => {
    const day = Math.floor(own.day);
    const last = open.get(own.project);
    const tied = last !== undefined && last.day === day && random() < 0.3;
    const fresh = last === undefined || last.day !== day;
    if (fresh) sessions += 1;
    const state = {
      session: fresh ? sessionId(sessions) : last.session,
      day,
      prompt: fresh ? 1 : last.prompt + (tied ? 0 : 1),
      epoch: tied ? last.epoch : BEGIN + Math.round(own.day * DAY + random() * 3_600_000),
    };
    open.set(own.project, state);
    return { ...own, ...state, day: own.day };
  });
}

/** Committed last, when a stuck queue was drained, with the time at which they had been queued. */
function late(notes: readonly Note[]): Row[] {
  return notes.map((own, at) => ({
    ...own,
    epoch: BEGIN + Math.round(own.day * DAY),
    session: sessionId(0),
    prompt: at + 1,
  }));
}

function oddities(): Note[] {
  const plain = {
    type: "discovery",
    concepts: [],
    read: [],
    modified: [],
    facts: [],
    project: "widgets-api",
  } as const;
  const port = named("The API port moved");
  const search = named("Search uses Postgres");
  const tax = named("Tax of the order");
  return [
    // the same events, told again by other sessions: to the letter, and nearly so
    ...[port, search, tax].flatMap((own) => [1.2, 3.4, 8].map((days) => ({ ...own, day: own.day + days }))),
    {
      ...port,
      day: port.day + 0.001,
      narrative: port.narrative.replace("so that half of the team reached", "so half of the team reached"),
    },
    { ...tax, day: tax.day + 0.001, subtitle: "", facts: tax.facts.slice(0, 1) },
    // a person's own words, as claude-mem's tool stores them: no tag, no fact
    {
      ...plain,
      day: 90.5,
      title: "Ask Jonas before touching the partner contracts",
      subtitle: "Manual memory",
      narrative:
        "Ask Jonas before touching the partner contracts in src/feeds/contracts: two of them have penalties for missing fields.",
    },
    // a worktree that was merged: its rows belong to the repository now
    {
      ...plain,
      day: 93.2,
      project: "widgets-api/search-rewrite",
      mergedInto: "widgets-api",
      type: "feature",
      concepts: ["what-changed"],
      title: "Search ranks exact SKU matches first",
      subtitle: "From the worktree search-rewrite",
      narrative:
        "A query that is a SKU in full is answered with that widget first, before any text ranking. The check costs one index lookup.",
      facts: ["An exact SKU match is always the first search result"],
    },
    // what must not get into a digest: a secret in the text, a note marked sensitive, sessions of tools
    {
      ...plain,
      day: 101.3,
      type: "bugfix",
      concepts: ["problem-solution"],
      title: "Staging could not reach its database after the password change",
      subtitle: "The old URL was still in the compose file",
      narrative: `The compose file of staging had the connection string postgres://widgets:${["hunter", "2", "-", "staging"].join("")}@db.staging.internal:5432/widgets from before the change. It reads STAGING_DATABASE_URL from the secret store now.`,
      facts: ["Staging reads STAGING_DATABASE_URL from the secret store"],
    },
    {
      ...plain,
      day: 115.6,
      type: "sensitive",
      concepts: ["decision"],
      title: "Price of the Hansen contract",
      subtitle: "Not for other contexts",
      narrative: "The contract with Hansen runs to March at 4,200 a month and will not be renewed.",
    },
    ...[0, 1, 2, 3].map((at) => ({
      ...plain,
      day: 140 + at,
      project: at === 3 ? "13.12.4" : "observer-sessions",
      title: "Observer session started",
      subtitle: "",
      narrative: "The observer started and has nothing to observe yet.",
    })),
  ];
}

function named(beginning: string): Note {
  const found = WIDGETS_STORY.find(({ title }) => title.startsWith(beginning));
  if (found === undefined) throw new Error(`the story has no note "${beginning}…"`);
  return found;
}

function write(db: Database, rows: readonly Row[]): void {
  const session = db.query(
    `INSERT OR IGNORE INTO sdk_sessions (content_session_id, memory_session_id, project, started_at, started_at_epoch, status)
     VALUES (?, ?, ?, ?, ?, 'completed')`,
  );
  const observation = db.query(
    `INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read,
       files_modified, prompt_number, created_at, created_at_epoch, discovery_tokens, content_hash, merged_into_project)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const [at, row] of rows.entries()) {
    const created = new Date(row.epoch).toISOString();
    session.run(`content-${row.session}`, row.session, row.project, created, row.epoch);
    observation.run(
      row.session,
      row.project,
      row.type,
      row.title,
      row.subtitle,
      JSON.stringify(row.facts),
      row.narrative,
      JSON.stringify(row.concepts),
      JSON.stringify(row.read),
      JSON.stringify(row.modified),
      row.prompt,
      created,
      row.epoch,
      400 + ((at * 7919) % 5000),
      (at + 1).toString(16).padStart(16, "0"),
      row.mergedInto ?? null,
    );
  }
}

/** The parts of claude-mem's schema that rows of `observations` need. */
const SCHEMA = [
  `CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE,
    project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
    started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
    status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active')`,
  `CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
    files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
    discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, generated_by_model TEXT, relevance_count INTEGER DEFAULT 0,
    merged_into_project TEXT, agent_type TEXT, agent_id TEXT, metadata TEXT, synced_at INTEGER, origin_device_id TEXT,
    origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
    FOREIGN KEY (memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE)`,
  "CREATE INDEX idx_observations_project ON observations(project)",
  "CREATE INDEX idx_observations_created ON observations(created_at_epoch DESC)",
  "CREATE INDEX idx_observations_type ON observations(type)",
  "CREATE INDEX idx_observations_sdk_session ON observations(memory_session_id)",
  "CREATE INDEX idx_observations_merged_into ON observations(merged_into_project)",
];

function sessionId(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Tommy Ettinger's generator of 32 bits: the example must be the same on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
