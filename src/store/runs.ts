import { and, eq } from "drizzle-orm";
import type { Store } from "./open.ts";
import { failures, runs } from "./schema.ts";

export type RunOutcome = "done" | "failed" | "paused" | "interrupted";

/** Notes that a run began; a crash leaves it `running`. Returns its id. */
export function startRun(store: Store, run: { command: string; model: string; at: number }): number {
  const { command, model, at } = run;
  return store.write(
    () =>
      store.db
        .insert(runs)
        .values({ command, model, startedAt: at, outcome: "running" })
        .returning({ id: runs.id })
        .get().id,
  );
}

export function finishRun(
  store: Store,
  id: number,
  end: {
    at: number;
    outcome: RunOutcome;
    reason?: string;
    folded?: number;
    duplicates?: number;
    skipped?: number;
  },
): void {
  store.db
    .update(runs)
    .set({
      finishedAt: end.at,
      outcome: end.outcome,
      reason: end.reason ?? null,
      folded: end.folded ?? 0,
      duplicates: end.duplicates ?? 0,
      skipped: end.skipped ?? 0,
    })
    .where(eq(runs.id, id))
    .run();
}

export interface CellFailure {
  project: string;
  type: string;
  /** `refused`, `paused`, a gate's name, an error's code. */
  code: string;
  reason: string;
  findings?: readonly string[];
}

/** Why a cell was not folded; the latest such reason of a cell is what `status` shows. */
export function recordFailure(store: Store, runId: number, at: number, failure: CellFailure): void {
  settleFailures(store, failure.project, failure.type);
  store.db
    .insert(failures)
    .values({
      runId,
      at,
      project: failure.project,
      type: failure.type,
      code: failure.code,
      reason: failure.reason,
      findings: failure.findings === undefined ? null : JSON.stringify(failure.findings),
    })
    .run();
}

/** The cell was folded: what went wrong before is history. */
export function settleFailures(store: Store, project: string, type: string): void {
  store.db
    .update(failures)
    .set({ settled: true })
    .where(and(eq(failures.project, project), eq(failures.type, type), eq(failures.settled, false)))
    .run();
}
