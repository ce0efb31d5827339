import { UserError } from "../errors.ts";
import type { Merge } from "../merge/merge.ts";
import {
  type Commit,
  type Departure,
  type LedgerEntry,
  type Passed,
  commitRevision,
} from "../store/commit.ts";
import { type StoredDigest, loadDigest } from "../store/digests.ts";
import type { Store } from "../store/open.ts";
import { type CellFailure, settleFailures } from "../store/runs.ts";
import { pause } from "../text/pause.ts";
import { nearDuplicates } from "./duplicates.ts";
import { type Folded, fold, oldestFirst } from "./fold.ts";
import { type Item, digestUnits } from "./item.ts";
import { statementNumber } from "./named.ts";
import type { Observation } from "./observation.ts";
import { type Batch, type PlannedCell, type PlannedRow, batchesOf, halves } from "./plan.ts";
import { rank } from "./rank.ts";

/** What a run did to one cell. */
export interface CellReport {
  project: string;
  type: string;
  revision: number;
  folded: number;
  duplicates: number;
  skipped: number;
  /** Whole items and statements that the budget kept out. */
  evicted: number;
  items: number;
  units: number;
  watermark: { id: number; epoch: number };
}

export interface DrainWith {
  store: Store;
  /** The batch's observations with secrets masked; rows that vanished meanwhile are missing. */
  read: (ids: readonly number[]) => Promise<Observation[]>;
  merge: Merge;
  fallback: Merge;
  /** Stored with each revision: the merge's or the model's name. */
  mergeName: string;
  cellBudget: number;
  maxRows: number;
  /** At most so many batches; the rest waits for the next run. */
  limitBatches: number;
  runId: number;
  /** Milliseconds; later epochs are clamped to it. */
  now: number;
  signal: AbortSignal;
  /** Called behind each commit with what it accounted for. */
  onProgress: (cell: PlannedCell, ledger: readonly LedgerEntry[]) => void;
}

export type Drained = { report: CellReport } & (
  | { kind: "drained" }
  /** By Ctrl-C, or because another cell's trouble concerns all. */
  | { kind: "stopped" }
  | { kind: "failed"; failure: CellFailure }
  | { kind: "paused"; failure: CellFailure; resumeAt: Date | undefined }
);

/**
 * Folds a cell's rows batch by batch until none is left, each batch in one transaction of its own: cut
 * off anywhere, the next run goes on behind the last committed batch. A batch that cannot be merged ends
 * the cell with digest and watermark as they were before it.
 */
export async function drainCell(digestId: number, cell: PlannedCell, using: DrainWith): Promise<Drained> {
  let digest = loadDigest(using.store, digestId);
  let report = emptyReport(digest);
  let waiting = cell.rows.length + cell.duplicates.length;
  const fates: Fates = { paraphrases: new Map(), vanished: new Set() };
  try {
    const batches = batchesOf(cell, using.maxRows).slice(0, using.limitBatches);
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      await pause(using.signal);
      const step = await mergeBatch(digest, batch, fates, using);
      if (step.kind === "too-long") {
        batches.unshift(...halves(batch));
        continue;
      }
      if (step.kind !== "ready") return { ...step, report };
      waiting -= batch.rows.length + batch.duplicates.length;
      const commit: Commit = { ...step.commit, behind: waiting };
      using.store.write(() => {
        commitRevision(using.store, commit);
        settleFailures(using.store, cell.project, cell.type);
      });
      digest = afterCommit(digest, commit);
      report = counted(report, digest, commit);
      using.onProgress(cell, commit.ledger);
    }
  } catch (error) {
    if (using.signal.aborted) return { kind: "stopped", report };
    return { kind: "failed", failure: failureOf(cell, error), report };
  }
  return { kind: "drained", report };
}

/** What became of a cell's rows, for the duplicates that were planned to stand with them. */
interface Fates {
  /** Who stands for a row that was found to paraphrase another. */
  paraphrases: Map<number, number>;
  /** Rows that left the source since the plan was made. */
  vanished: Set<number>;
}

type Step =
  /** The model had no room for the batch, but may have for its halves. */
  | { kind: "too-long" }
  | { kind: "ready"; commit: Omit<Commit, "behind"> }
  | { kind: "failed"; failure: CellFailure }
  | { kind: "paused"; failure: CellFailure; resumeAt: Date | undefined };

async function mergeBatch(digest: StoredDigest, batch: Batch, fates: Fates, using: DrainWith): Promise<Step> {
  const observations = oldestFirst(await using.read(batch.rows.map((row) => row.id)));
  const twins = nearDuplicates(observations);
  const request = {
    project: digest.project,
    type: digest.type,
    items: digest.items,
    observations: observations.filter((observation) => !twins.has(observation.id)),
    budgetUnits: using.cellBudget,
    now: using.now,
  };
  const outcome = await fold(
    request,
    { merge: using.merge, fallback: using.fallback, nextItemId: digest.nextItemId },
    using.signal,
  );
  const cell = { project: digest.project, type: digest.type };
  if (outcome.kind === "paused") {
    const { reason, resumeAt } = outcome.outcome;
    return { kind: "paused", failure: { ...cell, code: "paused", reason }, resumeAt };
  }
  if (outcome.kind === "too-long" && batch.rows.length > 1) return { kind: "too-long" };
  if (outcome.kind !== "folded") {
    const { code, reason, findings } = outcome;
    return { kind: "failed", failure: { ...cell, code, reason, findings } };
  }
  const present = new Map(observations.map((observation) => [observation.id, observation]));
  for (const [id, twin] of twins) fates.paraphrases.set(id, twin);
  for (const { id } of batch.rows) if (!present.has(id)) fates.vanished.add(id);
  const ledger = ledgerEntries(batch, fates, outcome.skipped);
  return {
    kind: "ready",
    commit: {
      before: digest,
      items: withDuplicates(outcome.items, ledger),
      ...departed(digest, outcome, present),
      ledger,
      nextItemId: outcome.nextItemId,
      watermark: watermarkAfter(digest, ledger, observations, using.now),
      runId: using.runId,
      merge: mergeLabel(using.mergeName, outcome),
      findings: outcome.outcome.notes?.findings ?? [],
      at: using.now,
      rank,
    },
  };
}

/** A thrown error is one cell's trouble, and a value: thrown on, it would abandon the wait for the others. */
function failureOf(cell: PlannedCell, error: unknown): CellFailure {
  const code = error instanceof UserError ? error.code : "error";
  return {
    project: cell.project,
    type: cell.type,
    code,
    reason: error instanceof Error ? error.message : String(error),
  };
}

function ledgerEntries(
  batch: Batch,
  { paraphrases, vanished }: Fates,
  skipped: ReadonlyMap<number, string>,
): LedgerEntry[] {
  const entry = (
    row: PlannedRow,
    more: Pick<LedgerEntry, "outcome" | "standsFor" | "reason">,
  ): LedgerEntry => ({
    observationId: row.id,
    fingerprint: row.fingerprint,
    titleKey: row.titleKey,
    units: row.units,
    sourceRevision: row.sourceRevision,
    ...more,
  });
  const rows = batch.rows
    .filter((row) => !vanished.has(row.id))
    .map((row) => {
      const twin = paraphrases.get(row.id);
      return twin === undefined
        ? entry(row, { outcome: "f", standsFor: null, reason: skipped.get(row.id) ?? null })
        : entry(row, { outcome: "d", standsFor: twin, reason: "near-duplicate" });
    });
  const duplicates = batch.duplicates
    .filter((row) => !vanished.has(row.standsFor))
    .map((row) => {
      const standsFor = paraphrases.get(row.standsFor) ?? row.standsFor;
      return entry(row, { outcome: "d", standsFor, reason: null });
    });
  return [...rows, ...duplicates];
}

/**
 * An item stands for the duplicates of its sources, too: they are what is left when a source is deleted.
 * A paraphrase is one more observation that says so; an exact copy is not.
 */
function withDuplicates(items: readonly Item[], ledger: readonly LedgerEntry[]): Item[] {
  const duplicates = Map.groupBy(
    ledger.filter(({ outcome }) => outcome === "d"),
    ({ standsFor }) => standsFor,
  );
  if (duplicates.size === 0) return [...items];
  return items.map((item) => {
    const more = item.sources.flatMap((source) => duplicates.get(source) ?? []);
    if (more.length === 0) return item;
    const sources = new Set([...item.sources, ...more.map(({ observationId }) => observationId)]);
    const paraphrases = more.filter(({ reason }) => reason !== null).length;
    return {
      ...item,
      sources: [...sources].toSorted((a, b) => a - b),
      confirmations: item.confirmations + paraphrases,
    };
  });
}

/**
 * What goes to the archive. An item that came and went in this batch, and whose words follow from the one
 * observation that it stands on, is named there by that; everything else with its words.
 */
function departed(
  digest: StoredDigest,
  { left, evicted, passed }: Folded,
  present: ReadonlyMap<number, Observation>,
): { departures: Departure[]; passed: Passed[] } {
  const lived = new Set(digest.items.map((item) => item.id));
  const departures: Departure[] = [...left];
  const named: Passed[] = [...passed];
  for (const item of evicted) {
    const observation =
      lived.has(item.id) || item.sources.length !== 1 ? undefined : present.get(item.sources[0] ?? 0);
    const number = observation === undefined ? null : statementNumber(observation, item.text);
    if (observation === undefined || number === null)
      departures.push({ item, kind: "evicted", reason: null });
    else named.push({ observationId: observation.id, statements: [number] });
  }
  return { departures, passed: named };
}

function watermarkAfter(
  digest: StoredDigest,
  ledger: readonly LedgerEntry[],
  observations: readonly Observation[],
  now: number,
): { id: number; epoch: number } {
  return {
    id: ledger.reduce((most, entry) => Math.max(most, entry.observationId), digest.sourceMaxId),
    epoch: observations.reduce(
      (most, { epoch }) => Math.max(most, Math.min(epoch, now)),
      digest.sourceMaxEpoch,
    ),
  };
}

function mergeLabel(name: string, folded: Folded): string {
  const version = folded.outcome.notes?.promptVersion;
  return version === undefined ? name : `${name}@${version}`;
}

function afterCommit(digest: StoredDigest, commit: Commit): StoredDigest {
  return {
    ...digest,
    revision: digest.revision + 1,
    items: commit.items,
    nextItemId: commit.nextItemId,
    sourceMaxId: commit.watermark.id,
    sourceMaxEpoch: commit.watermark.epoch,
    units: digestUnits(commit.items),
    behind: commit.behind,
  };
}

/** A cell before anything is done to it. */
export function emptyReport(
  digest: Pick<
    StoredDigest,
    "project" | "type" | "revision" | "items" | "units" | "sourceMaxId" | "sourceMaxEpoch"
  >,
): CellReport {
  return {
    project: digest.project,
    type: digest.type,
    revision: digest.revision,
    folded: 0,
    duplicates: 0,
    skipped: 0,
    evicted: 0,
    items: digest.items.length,
    units: digest.units,
    watermark: { id: digest.sourceMaxId, epoch: digest.sourceMaxEpoch },
  };
}

function counted(report: CellReport, digest: StoredDigest, commit: Commit): CellReport {
  const count = (outcome: LedgerEntry["outcome"]) =>
    commit.ledger.filter((entry) => entry.outcome === outcome).length;
  return {
    ...report,
    revision: digest.revision,
    folded: report.folded + count("f"),
    duplicates: report.duplicates + count("d"),
    evicted:
      report.evicted +
      commit.departures.filter(({ kind }) => kind === "evicted").length +
      commit.passed.reduce((sum, { statements }) => sum + statements.length, 0),
    items: digest.items.length,
    units: digest.units,
    watermark: commit.watermark,
  };
}
