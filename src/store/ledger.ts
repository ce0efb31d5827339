import type { LedgerEntry } from "./commit.ts";
import type { Store } from "./open.ts";

/** What is known of an observation, in one cell or in none (0). */
export interface LedgerRow extends LedgerEntry {
  digestId: number;
  projectId: number;
}

const COLUMNS = `observation_id AS observationId, digest_id AS digestId, project_id AS projectId, outcome,
  stands_for AS standsFor, reason, fingerprint, title_key AS titleKey, units, source_revision AS sourceRevision`;

/** Rows of the observations with `from` ≤ id ≤ `to`, by id. */
export function ledgerBetween(store: Store, from: number, to: number): LedgerRow[] {
  return store.client
    .query<LedgerRow, [number, number]>(
      `SELECT ${COLUMNS} FROM ledger WHERE observation_id BETWEEN ? AND ? ORDER BY observation_id, digest_id`,
    )
    .all(from, to);
}

export function ledgerOf(store: Store, observationIds: readonly number[]): LedgerRow[] {
  return store.client
    .query<LedgerRow, [string]>(
      `SELECT ${COLUMNS} FROM ledger WHERE observation_id IN (SELECT value FROM json_each(?)) ORDER BY observation_id, digest_id`,
    )
    .all(JSON.stringify(observationIds));
}

export interface TitledRow {
  observationId: number;
  /** The row itself, or the one that it was found to paraphrase. */
  standIn: number;
  digestId: number;
}

/** Observations with this title key that were folded, or paraphrase one that was; by id. */
export function standInsTitled(store: Store, titleKey: number): TitledRow[] {
  return store.client
    .query<TitledRow, [number]>(
      `SELECT observation_id AS observationId, coalesce(stands_for, observation_id) AS standIn, digest_id AS digestId
       FROM ledger WHERE title_key = ? AND ${IS_COMPARED} ORDER BY observation_id, digest_id`,
    )
    .all(titleKey);
}

/** Word for word as in the index, else SQLite doesn't use it. */
const IS_COMPARED = `(outcome = 'f' OR reason = 'near-duplicate')`;

export function knowsAny(store: Store): boolean {
  return store.client.query("SELECT 1 FROM ledger LIMIT 1").get() !== null;
}

/** Duplicates that the observation stands for, in any digest, by id. */
export function duplicatesOf(store: Store, observationId: number): LedgerRow[] {
  return store.client
    .query<LedgerRow, [number]>(
      `SELECT ${COLUMNS} FROM ledger WHERE stands_for = ? ORDER BY observation_id, digest_id`,
    )
    .all(observationId);
}

/** Observations known, each counted once. */
export function knownCountByProject(store: Store): Map<number, number> {
  const rows = store.client
    .query<{ projectId: number; n: number }, []>(
      "SELECT project_id AS projectId, count(DISTINCT observation_id) AS n FROM ledger GROUP BY project_id",
    )
    .all();
  return new Map(rows.map((row) => [row.projectId, row.n]));
}

/** Up to `limit` of the newest known observations with their fingerprints: a sample that tells a restored source. */
export function newestKnown(store: Store, limit: number): { observationId: number; fingerprint: number }[] {
  return store.client
    .query<{ observationId: number; fingerprint: number }, [number]>(
      "SELECT DISTINCT observation_id AS observationId, fingerprint FROM ledger ORDER BY observation_id DESC LIMIT ?",
    )
    .all(limit);
}

/** Takes observations out of the ledger, wherever they are. Inside `store.write`. */
export function forgetObservations(store: Store, observationIds: readonly number[]): void {
  store.client
    .query("DELETE FROM ledger WHERE observation_id IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(observationIds));
}

/** Lets a duplicate take the place of the row that stood for it and its likes in that digest. Inside `store.write`. */
export function promoteDuplicate(store: Store, digestId: number, gone: number, heir: number): void {
  store.client
    .query(
      "UPDATE ledger SET outcome = 'f', stands_for = NULL, reason = NULL WHERE observation_id = ? AND digest_id = ?",
    )
    .run(heir, digestId);
  store.client
    .query("UPDATE ledger SET stands_for = ? WHERE stands_for = ? AND digest_id = ?")
    .run(heir, gone, digestId);
}

export function allLedgerIds(store: Store): number[] {
  return store.client
    .query<{ id: number }, []>("SELECT DISTINCT observation_id AS id FROM ledger ORDER BY 1")
    .all()
    .map((row) => row.id);
}

export function projectOfObservation(store: Store, observationId: number): number | undefined {
  return store.client
    .query<{ projectId: number }, [number]>(
      "SELECT project_id AS projectId FROM ledger WHERE observation_id = ? LIMIT 1",
    )
    .get(observationId)?.projectId;
}

/** Looks rows up by their key. Whether it is there changes no answer, only how long it takes. */
export function ensureTitleIndex(store: Store): void {
  store.client.run(`CREATE INDEX IF NOT EXISTS ledger_by_title ON ledger (title_key) WHERE ${IS_COMPARED}`);
}

/**
 * For a backfill: keys are spread evenly, so that with the index each batch would touch as many pages as
 * it has rows. Made again as a whole behind it, the index costs a tenth.
 */
export function dropTitleIndex(store: Store): void {
  store.client.run("DROP INDEX IF EXISTS ledger_by_title");
}
