import { type Item, digestUnits } from "../digest/item.ts";
import type { StoredDigest } from "./digests.ts";
import type { Store } from "./open.ts";
import { ITEM_IDS_PER_DIGEST } from "./peek.ts";

/** An item that leaves its digest, and why. */
export interface Departure {
  item: Item;
  kind: "evicted" | "superseded" | "rewritten" | "dropped" | "withdrawn";
  reason: string | null;
  replacedBy?: number;
}

/** Statements of one observation that never made it into a stored digest, by their number in it. */
export interface Passed {
  observationId: number;
  statements: readonly number[];
}

export interface LedgerEntry {
  observationId: number;
  outcome: "f" | "d" | "s";
  standsFor: number | null;
  reason: string | null;
  fingerprint: number;
  titleKey: number;
  /** UTF-16 units of the row's text. */
  units: number;
  sourceRevision: number | null;
}

/** A digest's next revision: everything that one batch changes. */
export interface Commit {
  before: StoredDigest;
  items: readonly Item[];
  departures: readonly Departure[];
  passed: readonly Passed[];
  ledger: readonly LedgerEntry[];
  /** Item ids given out by this batch, departed ones included. */
  nextItemId: number;
  watermark: { id: number; epoch: number };
  behind: number;
  runId: number;
  merge: string;
  /** What the merge's answer was sent back for before it was taken. */
  findings: readonly string[];
  /** Milliseconds. */
  at: number;
  rank: (item: Item) => number;
}

/**
 * Writes a revision: digest, items, archive, ledger. To be called inside `store.write`, so that all of
 * it becomes true at once or not at all. Returns the new revision.
 *
 * Through the client's own prepared statements: a backfill writes a hundred thousand rows, and building a
 * query for each would cost more than the merges.
 */
export function commitRevision(store: Store, commit: Commit): number {
  const { before } = commit;
  const revision = before.revision + 1;
  const known = new Map(before.items.map((item) => [item.id, item]));
  const kept = new Set(commit.items.map((item) => item.id));
  const came = commit.items.filter((item) => !known.has(item.id));
  const changed = commit.items.filter((item) => differs(known.get(item.id), item));

  removeItems(
    store,
    before.items.filter((item) => !kept.has(item.id)),
  );
  writeItems(store, before.id, [...came, ...changed], commit.rank);
  writeSources(store, [...came, ...changed, ...strangers(commit.departures, known)], known);
  archiveDepartures(store, before.id, revision, commit.departures, known);
  archivePassed(store, before.id, revision, commit.passed);
  writeLedger(store, { digestId: before.id, projectId: before.projectId, revision }, commit.ledger);
  writeRevision(store, revision, commit, { came, changed: changed.map((item) => known.get(item.id)) });
  return revision;
}

/** Puts observations into the ledger; a known one is replaced. Inside `store.write`. */
export function writeLedger(
  store: Store,
  place: { digestId: number; projectId: number; revision: number },
  entries: readonly LedgerEntry[],
): void {
  const { digestId, projectId, revision } = place;
  insert(
    store,
    `INSERT OR REPLACE INTO ledger (observation_id, digest_id, project_id, revision, outcome, stands_for, reason,
                                    fingerprint, title_key, units, source_revision)`,
    entries.map((e) => [
      e.observationId,
      digestId,
      projectId,
      revision,
      e.outcome,
      e.standsFor,
      e.reason,
      e.fingerprint,
      e.titleKey,
      e.units,
      e.sourceRevision,
    ]),
  );
}

function removeItems(store: Store, gone: readonly Item[]): void {
  if (gone.length === 0) return;
  const ids = JSON.stringify(gone.map((item) => item.id));
  store.client.query("DELETE FROM items WHERE id IN (SELECT value FROM json_each(?))").run(ids);
}

function writeItems(
  store: Store,
  digestId: number,
  written: readonly Item[],
  rank: (item: Item) => number,
): void {
  insert(
    store,
    `INSERT OR REPLACE INTO items (id, digest_id, text, first_epoch, last_epoch, confirmations, pinned, origin, rank)`,
    written.map((item) => [
      item.id,
      digestId,
      item.text,
      item.firstEpoch,
      item.lastEpoch,
      item.confirmations,
      item.pinned ? 1 : 0,
      item.origin,
      rank(item),
    ]),
  );
}

function writeSources(store: Store, written: readonly Item[], known: ReadonlyMap<number, Item>): void {
  const rows = written.flatMap((item) => {
    const had = new Set(known.get(item.id)?.sources);
    return item.sources.filter((source) => !had.has(source)).map((source) => [item.id, source]);
  });
  insert(store, "INSERT OR IGNORE INTO item_sources (item_id, observation_id)", rows);
}

/** Items that came and went in one batch: what they stood on has to be findable, too. */
function strangers(departures: readonly Departure[], known: ReadonlyMap<number, Item>): Item[] {
  return departures.map(({ item }) => item).filter((item) => !known.has(item.id));
}

function archiveDepartures(
  store: Store,
  digestId: number,
  revision: number,
  departures: readonly Departure[],
  known: ReadonlyMap<number, Item>,
): void {
  insert(
    store,
    `INSERT INTO archive (digest_id, revision, kind, reason, item_id, replaced_by, text, detail)`,
    departures.map(({ item, kind, reason, replacedBy }) => [
      digestId,
      revision,
      kind,
      reason,
      item.id,
      replacedBy ?? null,
      item.text,
      known.has(item.id) ? JSON.stringify(detailOf(item)) : null, // else it follows from its sources
    ]),
  );
}

function detailOf({ firstEpoch, lastEpoch, confirmations, pinned, origin }: Item) {
  return { firstEpoch, lastEpoch, confirmations, pinned, origin };
}

function archivePassed(store: Store, digestId: number, revision: number, passed: readonly Passed[]): void {
  insert(
    store,
    `INSERT INTO archive (digest_id, revision, kind, observation_id, statements)`,
    passed.map(({ observationId, statements }) => [
      digestId,
      revision,
      "evicted",
      observationId,
      statements.join(","),
    ]),
  );
}

function writeRevision(
  store: Store,
  revision: number,
  commit: Commit,
  delta: { came: readonly Item[]; changed: readonly (Item | undefined)[] },
): void {
  const { before } = commit;
  const was = delta.changed.flatMap((item) =>
    item === undefined ? [] : [{ id: item.id, text: item.text, ...detailOf(item) }],
  );
  const count = (outcome: LedgerEntry["outcome"]) =>
    commit.ledger.filter((entry) => entry.outcome === outcome).length;
  store.client
    .query(
      `INSERT INTO revisions (digest_id, revision, run_id, at, merge, folded, duplicates, delta, findings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      before.id,
      revision,
      commit.runId,
      commit.at,
      commit.merge,
      count("f"),
      count("d"),
      JSON.stringify({ came: delta.came.map((item) => item.id), was }),
      commit.findings.length === 0 ? null : JSON.stringify(commit.findings),
    );
  const { changes } = store.client
    .query(
      `UPDATE digests SET revision = ?, source_max_id = ?, source_max_epoch = ?, items_made = ?, units = ?, behind = ?, updated_at = ?
       WHERE id = ? AND revision = ?`,
    )
    .run(
      revision,
      commit.watermark.id,
      commit.watermark.epoch,
      commit.nextItemId - 1 - before.id * ITEM_IDS_PER_DIGEST,
      digestUnits(commit.items),
      commit.behind,
      commit.at,
      before.id,
      before.revision,
    );
  if (changes !== 1) throw new Error(`digest ${before.id} was changed by another process`); // rolls the batch back
}

function differs(before: Item | undefined, after: Item): boolean {
  return (
    before !== undefined &&
    before !== after &&
    (before.text !== after.text ||
      before.lastEpoch !== after.lastEpoch ||
      before.firstEpoch !== after.firstEpoch ||
      before.confirmations !== after.confirmations ||
      before.pinned !== after.pinned ||
      before.sources.length !== after.sources.length)
  );
}

type Value = string | number | null;

/** Rows to a statement: one statement for many costs half of one for each; as many kinds of it are kept prepared. */
const ROWS_A_STATEMENT = 40;

function insert(store: Store, into: string, rows: readonly (readonly Value[])[]): void {
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
    const part = rows.slice(at, at + ROWS_A_STATEMENT);
    const places = `(${part[0]?.map(() => "?").join(",")})`;
    store.client.query(`${into} VALUES ${part.map(() => places).join(",")}`).run(...part.flat());
  }
}
