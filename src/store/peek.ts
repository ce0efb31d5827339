import { Database, constants } from "bun:sqlite";
import { cleanProject } from "../text/clean.ts";
import { FOREIGN, type StoreTrouble, newerStore, sqliteCode, storeTrouble } from "./trouble.ts";

/** Marks a file as our store, so that another program's database is never taken for one. "pMEM" */
export const APPLICATION_ID = 0x704d454d;

/** The store's schema that this reader knows: the number of migrations. */
export const STORE_SCHEMA = 1;

/** Item ids are `digest * ITEM_IDS_PER_DIGEST + number`: the same ids whatever order cells run in. */
export const ITEM_IDS_PER_DIGEST = 10_000_000;

/** The newest ids that a peek brings of each item. */
const PEEK_SOURCES = 2;
/** No item is longer; so much more than its share is read of each cell. */
const ITEM_UNITS = 600;

export interface Peeked {
  kind: "peeked";
  /** The names asked for, aliases followed; the most specific last. */
  names: readonly string[];
  /** Those that the store knows, in that order. */
  projects: readonly PeekedProject[];
}

/** The store is there but cannot be read here. */
export interface Unusable {
  kind: "unusable";
  trouble: StoreTrouble;
}

export interface Read<Result> {
  kind: "read";
  value: Result;
}

export interface PeekedProject {
  name: string;
  /** Rows that became items or duplicates of such. */
  observations: number;
  rawTokens: number;
  recent50Tokens: number;
  recent50Rows: number;
  /** Rows that the last build saw and left for later. */
  behind: number;
  cells: readonly PeekedCell[];
}

export interface PeekedCell {
  digestId: number;
  type: string;
  revision: number;
  /** Milliseconds. */
  updatedAt: number;
  watermark: { id: number; epoch: number };
  units: number;
  behind: number;
  /** All items of the cell, also those that were not read. */
  count: number;
  /** Best first. */
  items: readonly PeekedItem[];
}

export interface PeekedItem {
  id: number;
  text: string;
  /** Observation ids, newest first: for a block no more than two, else all of them, duplicates included. */
  sources: readonly number[];
  sourceCount: number;
  /** Milliseconds. */
  firstEpoch: number;
  lastEpoch: number;
  confirmations: number;
  pinned: boolean;
  origin: "merged" | "manual" | "imported";
  rank: number;
}

/**
 * What a block of `units` needs of some projects' digests, as they are at one moment, without a
 * library: a session waits for this. It costs the same whatever else the store holds, and a build may write
 * meanwhile.
 *
 * `names`: as claude-mem has them, the most specific last. `null`: nothing was built yet. Never makes
 * a store, never writes to it and never throws for what is wrong with it.
 */
export function peekDigests(path: string, names: readonly string[], units: number): Peeked | Unusable | null {
  const result = readStore(path, (db) => peek(db, names, units));
  return result?.kind === "read" ? result.value : result;
}

/** The same inside a read of one's own. Without `units`: the whole digests, with every source. */
export function peek(db: Database, names: readonly string[], units?: number): Peeked {
  const followed = followAliases(db, names);
  const projects = followed.flatMap((name) => peekProject(db, name));
  const share =
    units === undefined
      ? Infinity
      : evenShare(
          projects.flatMap(({ cells }) => cells.map((cell) => cell.units)),
          units,
        );
  return {
    kind: "peeked",
    names: followed,
    projects: projects.map((project) => ({
      ...project,
      cells: project.cells.map((cell) => ({
        ...cell,
        items: units === undefined ? wholeItems(db, cell) : bestItems(db, cell, share + ITEM_UNITS),
      })),
    })),
  };
}

/** The most that each may take so that all together take no more than there is. */
export function evenShare(demands: readonly number[], units: number): number {
  let left = units;
  let takers = demands.length;
  for (const wanted of demands.toSorted((a, b) => a - b)) {
    if (wanted * takers > left) return left / takers;
    left -= wanted;
    takers -= 1;
  }
  return Infinity;
}

/**
 * Reads from the store in one short transaction, without writing to it. In a folder that cannot be
 * written to SQLite has no place for a WAL database's shared memory; the file is then read as it is,
 * if nothing is waiting in a WAL beside it. `null`: there is no store yet.
 */
export function readStore<Result>(
  path: string,
  read: (db: Database) => Result,
): Read<Result> | Unusable | null {
  try {
    if (sizeOf(path) === 0) return null;
    return readOnce(path, constants.SQLITE_OPEN_READONLY, read);
  } catch (error) {
    const again = /^SQLITE_(READONLY|CANTOPEN)/.test(sqliteCode(error)) && sizeOf(`${path}-wal`) === 0;
    return again ? readImmutable(path, read) : unusable(error);
  }
}

function readImmutable<Result>(path: string, read: (db: Database) => Result): Read<Result> | Unusable | null {
  const uri = `file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}?immutable=1`;
  try {
    return readOnce(uri, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI, read);
  } catch (error) {
    return unusable(error);
  }
}

function readOnce<Result>(
  file: string,
  flags: number,
  read: (db: Database) => Result,
): Read<Result> | Unusable | null {
  const db = new Database(file, flags);
  try {
    db.run("PRAGMA busy_timeout = 250"); // only while the very first build makes the file does a writer shut readers out
    db.run("BEGIN");
    const found = db
      .query<{ application_id: number; user_version: number; tables: number }, []>(
        `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) AS tables
         FROM pragma_application_id, pragma_user_version`,
      )
      .get();
    const version = found?.user_version ?? 0;
    if (found?.application_id !== APPLICATION_ID) {
      return version === 0 && found?.tables === 0 ? null : { kind: "unusable", trouble: FOREIGN };
    }
    if (version > STORE_SCHEMA) return { kind: "unusable", trouble: newerStore(version, STORE_SCHEMA) };
    if (version < STORE_SCHEMA) return { kind: "unusable", trouble: OLDER };
    return { kind: "read", value: read(db) };
  } finally {
    db.close();
  }
}

const OLDER: StoreTrouble = {
  code: "store-older",
  message: "was written by an older persisted-memory",
  hint: "run `persisted-memory build`: it brings the store up to date",
};

/** Anything that is not about the file is a bug, and must be seen. */
function unusable(error: unknown): Unusable {
  const trouble = storeTrouble(error);
  if (trouble === null) throw error;
  return { kind: "unusable", trouble };
}

/** In bytes; 0 for what is not there. Bun's own: node:fs takes as long to load as the whole read. */
function sizeOf(path: string): number {
  return Bun.file(path).size;
}

/** The old names stay beside the newest: until the next build moves their rows, digests stand under them. */
function followAliases(db: Database, names: readonly string[]): string[] {
  const alias = db.query<{ new: string }, [string]>("SELECT new FROM aliases WHERE old = ?");
  const followed = new Set<string>();
  for (const name of names.map(cleanProject)) {
    for (let at: string | undefined = name; at !== undefined && !followed.has(at); at = alias.get(at)?.new)
      followed.add(at);
  }
  return [...followed];
}

type CellRow = Omit<PeekedCell, "items">;

function peekProject(db: Database, name: string): (Omit<PeekedProject, "cells"> & { cells: CellRow[] })[] {
  const row = db
    .query<Omit<PeekedProject, "cells"> & { id: number }, [string]>(
      `SELECT id, name, observations, raw_tokens AS rawTokens, recent50_tokens AS recent50Tokens,
              recent50_rows AS recent50Rows, behind FROM projects WHERE name = ?`,
    )
    .get(name);
  if (row === null) return [];
  const { id, ...project } = row;
  return [{ ...project, cells: peekCells(db, id) }];
}

function peekCells(db: Database, projectId: number): CellRow[] {
  const rows = db
    .query<Omit<CellRow, "watermark"> & { maxId: number; maxEpoch: number }, [number]>(
      `SELECT id AS digestId, type, revision, updated_at AS updatedAt, source_max_id AS maxId, source_max_epoch AS maxEpoch,
              units, behind, (SELECT count(*) FROM items WHERE digest_id = digests.id) AS count
       FROM digests WHERE project_id = ? ORDER BY type`,
    )
    .all(projectId);
  return rows.map(({ maxId, maxEpoch, ...cell }) => ({ ...cell, watermark: { id: maxId, epoch: maxEpoch } }));
}

interface ItemRow extends Omit<PeekedItem, "pinned" | "sources"> {
  pinned: number;
  /** JSON array. */
  sources: string;
}

function itemsQuery(sources: string): string {
  return `SELECT id, text, first_epoch AS firstEpoch, last_epoch AS lastEpoch, confirmations, pinned, origin, rank,
                 (SELECT count(*) FROM item_sources WHERE item_id = items.id) AS sourceCount,
                 (SELECT json_group_array(source) FROM (${sources})) AS sources
          FROM items WHERE digest_id = ? ORDER BY rank DESC, id DESC`;
}

const BEST_ITEMS = itemsQuery(
  `SELECT observation_id AS source FROM item_sources WHERE item_id = items.id
   ORDER BY observation_id DESC LIMIT ${PEEK_SOURCES}`,
);
/** Rows that only repeat a source are its duplicates in the ledger. */
const WHOLE_ITEMS = itemsQuery(
  `SELECT observation_id AS source FROM item_sources WHERE item_id = items.id
   UNION SELECT ledger.observation_id FROM item_sources
         JOIN ledger ON ledger.stands_for = item_sources.observation_id WHERE item_id = items.id
   ORDER BY source DESC`,
);

/** Until their texts have so many units, so that a large digest costs no more than what is shown of it. */
function bestItems(db: Database, cell: CellRow, units: number): PeekedItem[] {
  const query = db.query<ItemRow, [number, number, number]>(`${BEST_ITEMS} LIMIT ? OFFSET ?`);
  const page = Math.ceil(cell.count * Math.min(1, units / cell.units)) + 1;
  const items: PeekedItem[] = [];
  for (let read = 0; read < units && items.length < cell.count;) {
    const rows = query.all(cell.digestId, page, items.length);
    if (rows.length === 0) break;
    for (const row of rows) {
      items.push(itemOf(row));
      read += row.text.length;
    }
  }
  return items;
}

function wholeItems(db: Database, cell: CellRow): PeekedItem[] {
  return db.query<ItemRow, [number]>(WHOLE_ITEMS).all(cell.digestId).map(itemOf);
}

function itemOf(row: ItemRow): PeekedItem {
  return { ...row, pinned: row.pinned === 1, sources: JSON.parse(row.sources) as number[] };
}
