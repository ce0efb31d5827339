import { Database, type SQLQueryBindings } from "bun:sqlite";

/** Values by column; what a row does not name gets what claude-mem would write. */
export type SourceValues = Record<string, SQLQueryBindings>;

interface Layout {
  session: "sdk_session_id" | "memory_session_id";
  /** Before 9.1 a CHECK held the types to six. */
  checksType: boolean;
  /** Absent before 6.0.3; its place depends on whether a table was altered or made anew. */
  discoveryTokens: "absent" | "before times" | "after times";
  /** How many of `ADDED` it has. */
  added: number;
}

/** Columns in the order in which claude-mem added them. */
const ADDED = [
  "content_hash TEXT",
  "generated_by_model TEXT",
  "relevance_count INTEGER DEFAULT 0",
  "merged_into_project TEXT",
  "agent_type TEXT",
  "agent_id TEXT",
  "metadata TEXT",
  "synced_at INTEGER",
  "origin_device_id TEXT",
  "origin_local_id TEXT",
  "sync_rev TEXT NOT NULL DEFAULT '1'",
];

const OLDEST: Layout = { session: "sdk_session_id", checksType: true, discoveryTokens: "absent", added: 0 };
const WITH_TOKENS: Layout = { ...OLDEST, discoveryTokens: "after times" };
const REBUILT: Layout = {
  session: "memory_session_id",
  checksType: false,
  discoveryTokens: "before times",
  added: 0,
};

/** The `observations` table of the releases that were looked at. */
export const VERSIONS: Readonly<Record<string, Layout>> = {
  "4.2.11": OLDEST,
  "5.0.0": OLDEST,
  "6.0.0": OLDEST,
  "6.5.3": WITH_TOKENS,
  "7.0.0": WITH_TOKENS,
  "7.4.5": WITH_TOKENS,
  "8.0.0": WITH_TOKENS,
  "9.0.0": { ...WITH_TOKENS, session: "memory_session_id" },
  "9.1.1": REBUILT,
  "10.0.0": REBUILT,
  "10.6.3": { ...REBUILT, added: 1 },
  "12.0.0": { ...REBUILT, added: 3 },
  "12.4.9": { ...REBUILT, added: 7 },
  "12.7.5": { ...REBUILT, added: 7 },
  "13.0.0": { ...REBUILT, added: 7 },
  "13.4.0": { ...REBUILT, added: 7 },
  "13.12.2": { ...REBUILT, added: 11 },
  "13.15.3": { ...REBUILT, added: 11 },
  "13.24.1": { ...REBUILT, added: 11 },
  "13.25.3": { ...REBUILT, discoveryTokens: "after times", added: 11 },
};

export const NEWEST = "13.25.3";

export interface SourceOptions {
  version?: string;
  /** Columns that a half-migrated database lacks. */
  without?: readonly string[];
}

/** Makes a claude-mem database with these rows, in WAL mode and closed like the real one after its worker ended. */
export function makeSource(path: string, rows: readonly SourceValues[], options: SourceOptions = {}): string {
  const db = openWriter(path);
  createObservations(db, options);
  insertObservations(db, rows);
  db.close();
  return path;
}

/** The six columns that the first version of this tool was written for: no `id`, no `type`. */
export function makeSixColumnSource(path: string, rows: readonly SourceValues[]): string {
  const db = openWriter(path);
  db.run(
    "CREATE TABLE observations (project TEXT, concepts TEXT, title TEXT, narrative TEXT, facts TEXT, created_at_epoch INTEGER)",
  );
  insertObservations(db, rows);
  db.close();
  return path;
}

/** A connection as claude-mem's worker has one. */
export function openWriter(path: string): Database {
  const db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = OFF"); // tests lose nothing when the machine stops
  return db;
}

export function createObservations(
  db: Database,
  { version = NEWEST, without = [] }: SourceOptions = {},
): void {
  const layout = VERSIONS[version];
  if (layout === undefined) throw new Error(`no such version: ${version}`);
  const columns = columnsOf(layout).filter((column) => !without.includes(nameOf(column)));
  db.run(`CREATE TABLE observations (${columns.join(", ")})`);
  db.run("CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt_text TEXT NOT NULL)");
  const has = new Set(columns.map(nameOf));
  const indexed = {
    project: "project",
    created: "created_at_epoch",
    type: "type",
    merged_into: "merged_into_project",
  };
  for (const [name, column] of Object.entries(indexed)) {
    if (has.has(column)) db.run(`CREATE INDEX idx_observations_${name} ON observations(${column})`);
  }
}

/** Inserts rows of the columns they name; the others get defaults where the table has them. */
export function insertObservations(db: Database, rows: readonly SourceValues[]): void {
  const table = db
    .query<{ name: string; notnull: number }, []>(
      "SELECT name, \"notnull\" FROM pragma_table_info('observations')",
    )
    .all();
  db.transaction(() => {
    for (const [index, row] of rows.entries()) {
      const values: SourceValues = {
        ...defaults(
          index,
          table.map((column) => column.name),
        ),
        ...row,
      };
      const names = Object.keys(values);
      db.query(
        `INSERT INTO observations (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ).run(...Object.values(values));
    }
  })();
}

/** The first row's time; each further row is a minute later. */
export const FIRST_EPOCH = Date.UTC(2026, 0, 1, 12);

function defaults(index: number, columns: readonly string[]): SourceValues {
  const epoch = FIRST_EPOCH + index * 60_000;
  const all: SourceValues = {
    sdk_session_id: "session",
    memory_session_id: "session",
    project: "demo",
    type: "discovery",
    created_at: new Date(epoch).toISOString(),
    created_at_epoch: epoch,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => columns.includes(name)));
}

function columnsOf(layout: Layout): string[] {
  const types = "CHECK(type IN ('decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'))";
  const times = ["created_at TEXT NOT NULL", "created_at_epoch INTEGER NOT NULL"];
  const tokens = "discovery_tokens INTEGER DEFAULT 0";
  return [
    "id INTEGER PRIMARY KEY AUTOINCREMENT",
    `${layout.session} TEXT NOT NULL`,
    "project TEXT NOT NULL",
    "text TEXT",
    `type TEXT NOT NULL ${layout.checksType ? types : ""}`,
    ...["title", "subtitle", "facts", "narrative", "concepts", "files_read", "files_modified"].map(
      (name) => `${name} TEXT`,
    ),
    "prompt_number INTEGER",
    ...(layout.discoveryTokens === "before times" ? [tokens, ...times] : times),
    ...(layout.discoveryTokens === "after times" ? [tokens] : []),
    ...ADDED.slice(0, layout.added),
  ];
}

function nameOf(column: string): string {
  return column.split(" ", 1)[0] ?? "";
}
