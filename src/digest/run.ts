import pLimit from "p-limit";
import { Exit, type ExitCode, worstExit } from "../errors.ts";
import { writeLedger } from "../store/commit.ts";
import { ensureDigest } from "../store/digests.ts";
import { dropTitleIndex, ensureTitleIndex } from "../store/ledger.ts";
import type { Store } from "../store/open.ts";
import { ensureProject } from "../store/projects.ts";
import { type CellFailure, type RunOutcome, recordFailure } from "../store/runs.ts";
import { type CellReport, type DrainWith, type Drained, drainCell } from "./drain.ts";
import type { PlannedCell, PlannedSkip } from "./plan.ts";

export interface RunWith extends Omit<DrainWith, "signal"> {
  /** Cells at once. */
  concurrency: number;
  /** Ctrl-C. */
  signal: AbortSignal;
}

/** What a run did, cell by cell. */
export interface RunReport {
  cells: CellReport[];
  failures: CellFailure[];
  outcome: RunOutcome;
  exit: ExitCode;
  /** When a paused provider answers again, where it says. */
  resumeAt: Date | undefined;
}

/** After so many cells in a row that failed, whatever the reason, the run stops. */
const FAILURES_IN_A_ROW = 3;

const BACKFILL_ROWS = 2000;

/**
 * Drains the cells, some at once. One that fails does not stop the others; one that is paused (limit,
 * login, credit) stops all, as do three failures in a row. Never throws for a cell's trouble.
 */
export async function runCells(cells: readonly PlannedCell[], using: RunWith): Promise<RunReport> {
  const stop = new AbortController();
  const signal = AbortSignal.any([using.signal, stop.signal]);
  const limit = pLimit(using.concurrency);
  const placed = placeCells(using.store, cells);
  const isBackfill = cells.reduce((rows, cell) => rows + cell.rows.length, 0) >= BACKFILL_ROWS;
  if (isBackfill) using.store.write(() => dropTitleIndex(using.store));
  let failedInARow = 0;
  const ended = await Promise.all(
    placed.map(({ digestId, cell }) =>
      limit(async (): Promise<Drained> => {
        const outcome = await drainCell(digestId, cell, { ...using, signal });
        failedInARow = outcome.kind === "failed" ? failedInARow + 1 : 0;
        if (outcome.kind === "paused" || failedInARow >= FAILURES_IN_A_ROW) stop.abort(new Stopped());
        return outcome;
      }),
    ),
  );
  if (isBackfill) using.store.write(() => ensureTitleIndex(using.store));
  const failures = ended.flatMap((outcome) => ("failure" in outcome ? [outcome.failure] : []));
  if (failures.length > 0) {
    using.store.write(() => {
      for (const failure of failures) recordFailure(using.store, using.runId, using.now, failure);
    });
  }
  return {
    cells: ended.map((outcome) => outcome.report),
    failures,
    ...verdict(ended, using.signal),
    resumeAt: ended.flatMap((outcome) => (outcome.kind === "paused" ? (outcome.resumeAt ?? []) : []))[0],
  };
}

/** Rows that belong to no cell go into the ledger at once. */
export function recordSkips(store: Store, skips: readonly PlannedSkip[]): void {
  if (skips.length === 0) return;
  store.write(() => {
    for (const [project, rows] of Map.groupBy(skips, (skip) => skip.project)) {
      writeLedger(
        store,
        { digestId: 0, projectId: ensureProject(store, project), revision: 0 },
        rows.map((row) => ({
          observationId: row.id,
          outcome: "s",
          standsFor: null,
          reason: row.reason,
          fingerprint: row.fingerprint,
          titleKey: row.titleKey,
          units: row.units,
          sourceRevision: row.sourceRevision,
        })),
      );
    }
  });
}

/** The reason with which one cell's pause ends the others. */
class Stopped extends Error {}

/** All digests get their ids before any cell runs, in the plan's order: item ids follow from them. */
function placeCells(store: Store, cells: readonly PlannedCell[]): { digestId: number; cell: PlannedCell }[] {
  if (cells.length === 0) return [];
  return store.write(() =>
    cells.map((cell) => ({
      digestId: ensureDigest(store, ensureProject(store, cell.project), cell.type),
      cell,
    })),
  );
}

function verdict(
  ended: readonly Drained[],
  interrupted: AbortSignal,
): { outcome: RunOutcome; exit: ExitCode } {
  if (interrupted.aborted) return { outcome: "interrupted", exit: Exit.interrupted };
  const exits = ended.flatMap((outcome) => ("failure" in outcome ? [exitOf(outcome)] : []));
  if (exits.length === 0) return { outcome: "done", exit: Exit.done };
  return {
    outcome: ended.some(({ kind }) => kind === "paused") ? "paused" : "failed",
    exit: worstExit(exits),
  };
}

function exitOf(outcome: Extract<Drained, { failure: CellFailure }>): ExitCode {
  if (outcome.kind === "paused") return Exit.model;
  if (outcome.failure.code === "gate") return Exit.refused;
  return /^(source|store)-/.test(outcome.failure.code) ? Exit.environment : Exit.model;
}
