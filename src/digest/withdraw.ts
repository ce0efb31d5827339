import { type Departure, commitRevision } from "../store/commit.ts";
import { loadDigest } from "../store/digests.ts";
import {
  type LedgerRow,
  duplicatesOf,
  forgetObservations,
  ledgerOf,
  promoteDuplicate,
} from "../store/ledger.ts";
import { writeMeta } from "../store/meta.ts";
import type { Store } from "../store/open.ts";
import type { Item } from "./item.ts";
import type { Withdrawal } from "./plan.ts";
import { rank } from "./rank.ts";

/**
 * Takes observations out of where they are: out of the ledger, and out of the items that stand on them.
 * An item that stands on nothing else goes to the archive; a duplicate takes the place of a row that
 * stood for it. One transaction; the rows that moved are new again for the plan that follows.
 */
export function withdraw(
  store: Store,
  withdrawals: readonly Withdrawal[],
  run: { id: number; at: number },
): void {
  if (withdrawals.length === 0) return;
  const why = new Map(withdrawals.map((withdrawal) => [withdrawal.observationId, withdrawal.why]));
  store.write(() => {
    const rows = ledgerOf(store, [...why.keys()]);
    for (const digestId of new Set(rows.map((row) => row.digestId))) {
      if (digestId !== 0) withdrawFrom(store, digestId, why, run);
    }
    for (const row of rows) if (row.outcome === "f") promote(store, row, why);
    forgetObservations(store, [...why.keys()]);
    // until the run has placed them all anew, nobody may believe that every row is in the ledger
    writeMeta(store, { "scanned-through": "0", "source-shape": "[]" });
  });
}

function withdrawFrom(
  store: Store,
  digestId: number,
  why: ReadonlyMap<number, Withdrawal["why"]>,
  run: { id: number; at: number },
): void {
  const before = loadDigest(store, digestId);
  const items: Item[] = [];
  const departures: Departure[] = [];
  for (const item of before.items) {
    const sources = item.sources.filter((source) => !why.has(source));
    if (sources.length === item.sources.length) items.push(item);
    else if (sources.length > 0 || item.origin !== "merged") items.push({ ...item, sources });
    else departures.push({ item, kind: "withdrawn", reason: reasonOf(item, why) });
  }
  forgetSources(store, items, [...why.keys()]);
  commitRevision(store, {
    before,
    items,
    departures,
    passed: [],
    ledger: [],
    nextItemId: before.nextItemId,
    watermark: { id: before.sourceMaxId, epoch: before.sourceMaxEpoch },
    behind: before.behind,
    runId: run.id,
    merge: "withdraw",
    findings: [],
    at: run.at,
    rank,
  });
}

function reasonOf(item: Item, why: ReadonlyMap<number, Withdrawal["why"]>): string {
  const reasons = new Set(item.sources.map((source) => why.get(source)));
  return `its observations were ${[...reasons].join(" or ")}`;
}

/** Items that go to the archive keep theirs, so that the archive can still tell what they stood on. */
function forgetSources(store: Store, items: readonly Item[], observationIds: readonly number[]): void {
  store.client
    .query(
      `DELETE FROM item_sources WHERE item_id IN (SELECT value FROM json_each(?))
       AND observation_id IN (SELECT value FROM json_each(?))`,
    )
    .run(JSON.stringify(items.map((item) => item.id)), JSON.stringify(observationIds));
}

function promote(
  store: Store,
  { observationId, digestId }: LedgerRow,
  why: ReadonlyMap<number, unknown>,
): void {
  const heir = duplicatesOf(store, observationId).find(
    (duplicate) => duplicate.digestId === digestId && !why.has(duplicate.observationId),
  );
  if (heir !== undefined) promoteDuplicate(store, digestId, observationId, heir.observationId);
}
