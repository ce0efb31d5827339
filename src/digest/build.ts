import { Exit, type ExitCode, usageError, worstExit } from "../errors.ts";
import type { Merge } from "../merge/merge.ts";
import type { Usage } from "../model/model.ts";
import { sourceStamp } from "../source/stamp.ts";
import { usageOfRun } from "../store/calls.ts";
import { allDigests } from "../store/digests.ts";
import { type Heartbeat, buildLockPath, readHeartbeat, writeHeartbeat } from "../store/heartbeat.ts";
import { readMeta } from "../store/meta.ts";
import type { Store } from "../store/open.ts";
import { allProjects, recordBehind } from "../store/projects.ts";
import { type CellFailure, type RunOutcome, finishRun, startRun } from "../store/runs.ts";
import { type LockHolder, acquireLock } from "../text/lock.ts";
import { nearest } from "../text/nearest.ts";
import { Accounts } from "./accounts.ts";
import { OTHER } from "./cell.ts";
import type { CellReport, DrainWith } from "./drain.ts";
import { recordEconomics } from "./figures.ts";
import { type InspectOptions, type Inspection, inspect, remember } from "./inspect.ts";
import type { PlannedCell, PlannedSkip, Withdrawal } from "./plan.ts";
import { isBudgetNew, refit } from "./refit.ts";
import { type RunReport, recordSkips, runCells } from "./run.ts";
import type { Survey } from "./survey.ts";
import { withdraw } from "./withdraw.ts";

export interface PlanOptions extends Omit<InspectOptions, "revisionCursor"> {
  /** Effective projects; empty: all. */
  projects: readonly string[];
  /** A cell type; null: all. */
  type: string | null;
}

export interface BuildOptions extends PlanOptions {
  /** For the lock and the heartbeat. */
  stateFolder: string;
  /** Made when there is something to merge: a model's calls are noted under the run. */
  merge: (runId: number) => Merge;
  fold: Pick<DrainWith, "read" | "fallback" | "mergeName" | "cellBudget" | "maxRows" | "limitBatches">;
  /** Cells at once. */
  concurrency: number;
  /** Milliseconds. */
  now: number;
  signal: AbortSignal;
  /** The plan stands and nothing is written yet; throwing leaves it so. */
  onPlan: (plan: Plan) => Promise<void>;
  /** How many of the plan's observations are accounted for, each counted once. */
  onProgress: (accounted: number) => void;
}

/** What a build would do, as data. */
export interface Plan {
  cells: readonly PlannedCell[];
  skipped: readonly PlannedSkip[];
  withdrawals: readonly Withdrawal[];
  /** Why known rows that vanished are kept all the same. */
  doubt: string | null;
}

export interface Totals extends Usage {
  observations: number;
  folded: number;
  duplicates: number;
  skipped: number;
  skippedBy: Record<string, number>;
}

export interface Built {
  kind: "built";
  exit: ExitCode;
  outcome: RunOutcome;
  totals: Totals;
  cells: readonly CellReport[];
  failures: readonly CellFailure[];
  /** Observations that left where they were. */
  withdrawn: number;
  doubt: string | null;
  /** When a paused provider answers again, where it says. */
  resumeAt: Date | undefined;
}

export type BuildResult =
  | { kind: "locked"; holder: LockHolder | null }
  /** Before it was known what there is to do. */
  | { kind: "interrupted" }
  | { kind: "nothing-new"; doubt: string | null }
  | Built;

/** What a build would do; nothing is locked, written or merged. */
export async function planBuild(options: PlanOptions): Promise<Plan> {
  return planOf(await inspect({ ...options, revisionCursor: 0 }), options);
}

/**
 * Brings the digests up to date with the source. Holds the build's lock from beginning to end; whoever
 * comes second does nothing. What is committed on the way stays, however the build ends.
 */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const lock = acquireLock(buildLockPath(options.stateFolder, options.store.path));
  if (lock.kind === "busy") return { kind: "locked", holder: lock.holder };
  try {
    return await buildLocked(options);
  } finally {
    lock.release();
  }
}

async function buildLocked(options: BuildOptions): Promise<BuildResult> {
  const last = readHeartbeat(options.stateFolder, options.store.path);
  const stamp = sourceStamp(options.source.path, Date.now());
  const beat = (heartbeat: Omit<Heartbeat, "at">) =>
    writeHeartbeat(options.stateFolder, options.store.path, { at: new Date().toISOString(), ...heartbeat });
  const keyNow = () => (stamp === null ? null : `${stamp.key} ${readMeta(options.store, "scanned-through")}`);
  if (
    last !== null &&
    last.sourceStamp !== null &&
    last.sourceStamp === keyNow() &&
    isSameQuestion(options)
  ) {
    beat({ ...last, outcome: "nothing-new", reason: null });
    return { kind: "nothing-new", doubt: null };
  }

  const inspection = await inspect({ ...options, revisionCursor: last?.revisionCursor ?? 0 }).catch(
    (error: unknown) => {
      if (options.signal.aborted) return null;
      throw error;
    },
  );
  if (inspection === null) return { kind: "interrupted" };
  const plan = planOf(inspection, options);
  const { doubt } = plan;
  const settle = (complete: boolean) => ({
    sourceStamp: complete && doubt === null && stamp?.settled === true ? keyNow() : null,
    revisionCursor: inspection.revisionCursor,
  });
  if (isNothing(options, inspection, plan)) {
    beat({ outcome: "nothing-new", reason: doubt, ...settle(isWhole(inspection.survey, plan)) });
    return { kind: "nothing-new", doubt };
  }
  await options.onPlan(plan);
  const built = await carryOut(options, inspection, plan);
  beat({ outcome: built.outcome, reason: built.failures[0]?.reason ?? doubt, ...settle(built.complete) });
  return built;
}

/** The part of what there is to do that was asked for. */
function planOf({ survey, doubt }: Inspection, options: PlanOptions): Plan {
  const { projects, type, store } = options;
  assertKnown(projects, survey, store);
  if (type !== null) assertCellType(type, options);
  const wanted = new Set(projects);
  const cells = survey.cells.filter(
    (cell) => (wanted.size === 0 || wanted.has(cell.project)) && (type === null || cell.type === type),
  );
  return { cells, skipped: survey.skipped, withdrawals: survey.withdrawals, doubt };
}

function assertKnown(projects: readonly string[], survey: Survey, store: Store): void {
  if (projects.length === 0) return;
  const known = new Set([
    ...survey.cells.map((cell) => cell.project),
    ...survey.skipped.map((skip) => skip.project),
    ...survey.later.keys(),
    ...allProjects(store).map((project) => project.name),
  ]);
  const stranger = projects.find((project) => !known.has(project));
  if (stranger === undefined) return;
  const near = nearest(stranger, [...known]);
  const hint =
    near.length > 0 ? `did you mean ${near.join(" or ")}?` : "`cluster` lists the projects of the source";
  throw usageError(
    "unknown-project",
    `no observation belongs to a project ${JSON.stringify(stranger)}`,
    hint,
  );
}

/** Of the vocabulary, or of a digest that an earlier one has left. */
function assertCellType(type: string, { reading, store }: PlanOptions): void {
  const known = new Set([...reading.concepts, OTHER, ...allDigests(store).map((digest) => digest.type)]);
  if (known.has(type)) return;
  const near = nearest(type, [...known]);
  throw usageError(
    "unknown-type",
    `no digest has the type ${JSON.stringify(type)}`,
    near.length > 0 ? `did you mean ${near.join(" or ")}?` : `one of: ${[...known].join(" · ")}`,
  );
}

/** The same question as the last time, so that an unchanged source has the same answer: nothing. */
function isSameQuestion(options: BuildOptions): boolean {
  const { store, policy, fold, rescan, adoptSource, acceptDeletions } = options;
  if (rescan || adoptSource || acceptDeletions || options.projects.length > 0) return false;
  return readMeta(store, "policy") === policy && !isBudgetNew(store, fold.cellBudget);
}

function isWhole(survey: Survey, plan: Plan): boolean {
  return plan.cells.length === survey.cells.length && survey.later.size === 0;
}

function isNothing({ store, fold }: BuildOptions, { survey, memory }: Inspection, plan: Plan): boolean {
  if (plan.cells.length > 0 || plan.skipped.length > 0 || plan.withdrawals.length > 0) return false;
  if (isBudgetNew(store, fold.cellBudget)) return false;
  if (!isWhole(survey, plan) || plan.doubt !== null) return true;
  return (
    readMeta(store, "policy") === memory.policy &&
    readMeta(store, "scanned-through") === String(memory.through)
  );
}

async function carryOut(
  options: BuildOptions,
  inspection: Inspection,
  plan: Plan,
): Promise<Built & { complete: boolean }> {
  const { store, now, fold } = options;
  const runId = startRun(store, { command: "build", model: fold.mergeName, at: now });
  if (isBudgetNew(store, fold.cellBudget)) refit(store, fold.cellBudget, { id: runId, at: now });
  withdraw(store, plan.withdrawals, { id: runId, at: now });
  recordSkips(store, plan.skipped);
  const accounts = new Accounts(plan.skipped);
  options.onProgress(accounts.size);
  const report = await runCells(plan.cells, {
    ...fold,
    merge: options.merge(runId),
    store,
    runId,
    now,
    concurrency: options.concurrency,
    signal: options.signal,
    onProgress: (cell, ledger) => {
      accounts.take(cell, ledger);
      options.onProgress(accounts.size);
    },
  });
  const behind = accounts.behind(inspection.survey);
  const complete = behind.size === 0;
  const totals = { ...accounts.totals(), ...usageOfRun(store, runId) };
  await conclude(options, { inspection, plan, report, totals, behind, runId });
  store.assertInPlace();
  return {
    kind: "built",
    exit: plan.doubt === null ? report.exit : worstExit([report.exit, Exit.refused]),
    outcome: report.outcome,
    totals,
    cells: report.cells,
    failures: report.failures,
    withdrawn: plan.withdrawals.length,
    doubt: plan.doubt,
    resumeAt: report.resumeAt,
    complete,
  };
}

interface Ending {
  inspection: Inspection;
  plan: Plan;
  report: RunReport;
  totals: Totals;
  behind: ReadonlyMap<string, number>;
  runId: number;
}

async function conclude({ store, fold }: BuildOptions, ending: Ending): Promise<void> {
  const { inspection, plan, report, totals, behind, runId } = ending;
  const touched = new Set(report.cells.map((cell) => cell.project));
  const projects = allProjects(store).filter(({ name }) => plan.withdrawals.length > 0 || touched.has(name));
  await recordEconomics(
    store,
    projects.map(({ id }) => id),
    fold.read,
  );
  store.write(() => {
    // What is not settled has to be noticed again: then only the source's identity is remembered.
    const settled = behind.size === 0 && plan.doubt === null;
    remember(store, settled ? inspection.memory : { identity: inspection.memory.identity });
    recordBehind(store, behind);
    finishRun(store, runId, {
      at: Date.now(),
      outcome: report.outcome,
      ...(report.failures[0] === undefined ? {} : { reason: report.failures[0].reason }),
      folded: totals.folded,
      duplicates: totals.duplicates,
      skipped: totals.skipped,
    });
  });
}
