import { commitRevision } from "../store/commit.ts";
import { allDigests, loadDigest } from "../store/digests.ts";
import { readMeta, writeMeta } from "../store/meta.ts";
import type { Store } from "../store/open.ts";
import { fit } from "./fit.ts";
import { rank } from "./rank.ts";

/** True where the digests were last fitted to another budget. */
export function isBudgetNew(store: Store, cellBudget: number): boolean {
  return readMeta(store, "cell-budget") !== String(cellBudget);
}

/**
 * Fits every digest to a budget that changed. A smaller one sends whole items to the archive; a larger
 * one leaves room for what comes. One transaction.
 */
export function refit(store: Store, cellBudget: number, run: { id: number; at: number }): void {
  store.write(() => {
    for (const { id } of allDigests(store)) refitDigest(store, id, cellBudget, run);
    writeMeta(store, { "cell-budget": String(cellBudget) });
  });
}

function refitDigest(store: Store, id: number, cellBudget: number, run: { id: number; at: number }): void {
  const before = loadDigest(store, id);
  const { kept, evicted } = fit(before.items, { budgetUnits: cellBudget });
  if (evicted.length === 0) return;
  commitRevision(store, {
    before,
    items: kept,
    departures: evicted.map((item) => ({
      item,
      kind: "evicted",
      reason: `the cell's budget is ${cellBudget} now`,
    })),
    passed: [],
    ledger: [],
    nextItemId: before.nextItemId,
    watermark: { id: before.sourceMaxId, epoch: before.sourceMaxEpoch },
    behind: before.behind,
    runId: run.id,
    merge: "fit",
    findings: [],
    at: run.at,
    rank,
  });
}
