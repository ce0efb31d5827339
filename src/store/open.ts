import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { makePrivate, makePrivateFolder } from "../text/files.ts";
import { storeError } from "./error.ts";
import { APPLICATION_ID, STORE_SCHEMA } from "./peek.ts";
import * as schema from "./schema.ts";
import { FOREIGN, NO_FILE, TAKEN_AWAY, newerStore, storeTrouble } from "./trouble.ts";

/** The digest store: drizzle for the queries, the bare client for transactions and pragmas. */
export interface Store {
  readonly path: string;
  readonly db: BunSQLiteDatabase<typeof schema>;
  readonly client: Database;
  /** All or nothing, and no other writer in between. `change` must not await. */
  write<Result>(change: () => Result): Result;
  /** Throws where the file was moved or deleted since it was opened: what was written is not where it should be. */
  assertInPlace(): void;
  close(): void;
}

const MIGRATIONS = join(import.meta.dirname, "..", "..", "drizzle");

/**
 * Opens our store for reading and writing and brings its schema up to date; makes it, private to the
 * user, where there is none.
 *
 * Throws an environment error for a file that is not ours, damaged, locked or written by a newer
 * version; such a file is left as it is.
 */
export function openStore(path: string): Store {
  const fresh = path !== ":memory:" && inWords(path, () => isYetToBeMade(path));
  const client = inWords(path, () => new Database(path, { create: true, strict: true }));
  try {
    inWords(path, () => {
      if (fresh) makePrivate(path); // before -wal and -shm are made: they take the file's mode
      client.run("PRAGMA busy_timeout = 5000"); // another process of ours may hold the write lock for a moment
      migrate(client, path);
      client.run("PRAGMA journal_mode = WAL"); // hooks read while a build writes
      client.run("PRAGMA synchronous = NORMAL"); // a power cut may take back the last batches whole, never tear one
      client.run("PRAGMA foreign_keys = ON");
    });
  } catch (error) {
    client.close();
    throw error;
  }
  const db = drizzle({ client, schema });
  const opened = fileOf(path);
  return {
    path,
    db,
    client,
    write: (change) => inWords(path, () => client.transaction(change).immediate()),
    assertInPlace: () => {
      if (fileOf(path) !== opened) throw storeError(path, TAKEN_AWAY);
    },
    close: () => client.close(),
  };
}

/** True where nothing is there yet, with the folder made; throws for what is not ours. */
function isYetToBeMade(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) makePrivateFolder(dirname(path));
  else if (!stats.isFile()) throw storeError(path, NO_FILE);
  else if (stats.size > 0) assertNotForeign(path);
  return stats === undefined || stats.size === 0;
}

/** Tells a file from another of the same name. */
function fileOf(path: string): string | null {
  const stats = path === ":memory:" ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`;
}

/**
 * Whoever opens another program's database for writing, and be it to look, moves what its -wal holds into
 * it on closing: so a file without our mark is looked at in another way first.
 */
function assertNotForeign(path: string): void {
  if (hasOurMark(path)) return;
  const client = new Database(path, { readonly: true });
  try {
    client.run("PRAGMA busy_timeout = 5000"); // ours may be in the making
    assertOurs(client, path, pragma(client, "user_version"), STORE_SCHEMA);
  } finally {
    client.close();
  }
}

/** Where SQLite keeps a file's application id. */
const MARK_AT = 68;

function hasOurMark(path: string): boolean {
  const header = Buffer.alloc(MARK_AT + 4);
  const file = openSync(path, "r");
  try {
    return (
      readSync(file, header, 0, header.length, 0) === header.length &&
      header.readUInt32BE(MARK_AT) === APPLICATION_ID
    );
  } finally {
    closeSync(file);
  }
}

/**
 * In one IMMEDIATE transaction, its version read inside: drizzle's own migrator looks first and
 * begins later, and processes that start at once on a cold file then collide.
 */
function migrate(client: Database, path: string): void {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS });
  if (pragma(client, "user_version") === migrations.length && isOurs(client)) return;
  client
    .transaction(() => {
      const version = pragma(client, "user_version");
      assertOurs(client, path, version, migrations.length);
      for (const { sql } of migrations.slice(version)) for (const statement of sql) client.run(statement);
      client.run(`PRAGMA application_id = ${APPLICATION_ID}`);
      client.run(`PRAGMA user_version = ${migrations.length}`);
    })
    .immediate();
}

function assertOurs(client: Database, path: string, version: number, known: number): void {
  const tables = client.query<{ n: number }, []>("SELECT count(*) AS n FROM sqlite_master").get()?.n ?? 0;
  if (!isOurs(client) && (version > 0 || tables > 0)) throw storeError(path, FOREIGN);
  if (version > known) throw storeError(path, newerStore(version, known));
}

function isOurs(client: Database): boolean {
  return pragma(client, "application_id") === APPLICATION_ID;
}

function pragma(client: Database, name: "user_version" | "application_id"): number {
  return client.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
}

/** SQLite's errors about the file itself, as a person needs them. */
function inWords<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    const trouble = storeTrouble(cause);
    throw trouble === null ? cause : storeError(path, trouble, cause);
  }
}
