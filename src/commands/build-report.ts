import { type BuildResult, type Built, type Plan } from "../digest/build.ts";
import { type CellEstimate, estimateCells } from "../digest/estimate.ts";
import { type CellReport, emptyReport } from "../digest/drain.ts";
import { type Cell, type PlannedRow, cellKey } from "../digest/plan.ts";
import { Exit, type ExitCode } from "../errors.ts";
import { allDigests, loadDigest } from "../store/digests.ts";
import type { Store } from "../store/open.ts";
import type { BuildCommand } from "./build.ts";
import type { ChosenMerge } from "./merges.ts";
import type { OpenedSource } from "./opening.ts";
import { type Output, renderTable } from "./output.ts";

/** What a build works with, once everything is open. */
export interface Work extends BuildCommand {
  merge: ChosenMerge;
  store: Store;
  opened: OpenedSource;
}

export function reportPlan(plan: Plan, work: Work): ExitCode {
  const { output, merge, store } = work;
  const digests = new Map(allDigests(store).map((digest) => [cellKey(digest), digest.id]));
  const cells = estimated(plan, work);
  const sum = totalOf(cells);
  const duplicates = new Set(plan.cells.flatMap((cell) => cell.duplicates.map((row) => row.id))).size;
  const skippedBy: Record<string, number> = {};
  for (const { reason } of plan.skipped) skippedBy[reason] = (skippedBy[reason] ?? 0) + 1;
  const observations = rowsOf(plan);
  output.object({
    model: merge.choice.word,
    dryRun: true,
    payer: merge.payer,
    totals: {
      observations,
      folded: observations - duplicates - plan.skipped.length,
      duplicates,
      skipped: plan.skipped.length,
      skippedBy,
      ...pick(sum),
      batches: sum.batches,
    },
    projects: byProject(
      plan.cells.map((cell, number) => ({
        ...reportAsItIs(cell, digests.get(cellKey(cell)), store),
        folded: cell.rows.length,
        duplicates: cell.duplicates.length,
        batches: cells[number]?.batches ?? 0,
        ...pick(cells[number] ?? sum),
      })),
    ),
    withdrawn: plan.withdrawals.length,
    doubt: plan.doubt,
    failures: [],
  });
  if (output.json) return doubtExit(plan.doubt);
  const model = merge.choice.kind === "model";
  const rows = cells.map((cell, number) => [
    cell.project,
    cell.type,
    cell.rows,
    plan.cells[number]?.duplicates.length ?? 0,
    cell.batches,
    cell.rowTokens,
    ...(model ? [cell.calls, cell.inputTokens, cell.outputTokens, dollars(cell.costUsd)] : []),
  ]);
  const head = [
    "project",
    "type",
    "rows",
    "duplicates",
    "batches",
    "row tokens",
    ...(model ? ["calls", "in", "out", "list price"] : []),
  ];
  output.text(rows.length === 0 ? "Nothing new to fold." : renderTable(head, rows, [9]));
  output.text(
    `\n${count(observations, "new row")}: ${count(sum.rows, "row")} to fold in ${count(sum.batches, "batch", "batches")}, ${count(duplicates, "duplicate")}, ${plan.skipped.length} left out${reasons(skippedBy)}.`,
  );
  if (model)
    output.text(
      `${merge.payer}: up to ${count(sum.calls, "call")}, about ${sum.inputTokens.toLocaleString("en-US")} tokens in and ${sum.outputTokens.toLocaleString("en-US")} out, ${dollars(sum.costUsd)} at list price.`,
    );
  if (plan.doubt !== null) warnOfDoubt(plan.doubt, output);
  output.note("nothing was written");
  return doubtExit(plan.doubt);
}

export function reportBuild(result: BuildResult, work: Work): ExitCode {
  if (result.kind === "built") return reportBuilt(result, work);
  const { output, merge } = work;
  const nothing = { model: merge.choice.word, dryRun: false, totals: NO_TOTALS, projects: [], failures: [] };
  if (result.kind === "locked") {
    const { holder } = result;
    output.object({ ...nothing, locked: holder ?? { pid: null, since: null } });
    output.text(
      `Another build is running${holder === null ? "" : ` (process ${holder.pid}, since ${holder.since})`}; nothing was done.`,
    );
    return Exit.done;
  }
  if (result.kind === "interrupted") {
    output.object({ ...nothing, outcome: "interrupted" });
    output.warn("interrupted: nothing was done yet");
    return Exit.interrupted;
  }
  output.object({ ...nothing, doubt: result.doubt });
  output.text("Nothing new: the digests are up to date.");
  if (result.doubt !== null) warnOfDoubt(result.doubt, output);
  return doubtExit(result.doubt);
}

function reportBuilt(built: Built, { output, merge, opened }: Work): ExitCode {
  const { totals, cells, failures } = built;
  output.object({
    model: merge.choice.word,
    dryRun: false,
    totals,
    projects: byProject(cells),
    failures,
    withdrawn: built.withdrawn,
    masked: opened.masked(),
    doubt: built.doubt,
    outcome: built.outcome,
    ...(built.resumeAt === undefined ? {} : { resumeAt: built.resumeAt.toISOString() }),
  });
  if (output.json) return built.exit;
  const rows = cells.map((cell) => [
    cell.project,
    cell.type,
    cell.folded,
    cell.duplicates,
    cell.evicted,
    cell.items,
    cell.units,
  ]);
  if (rows.length > 0)
    output.text(renderTable(["project", "type", "folded", "duplicates", "archived", "items", "units"], rows));
  output.text(
    `${rows.length > 0 ? "\n" : ""}${count(totals.observations, "observation")}: ${totals.folded} folded, ${count(totals.duplicates, "duplicate")}, ${totals.skipped} left out${reasons(totals.skippedBy)}.`,
  );
  if (built.withdrawn > 0)
    output.text(`${count(built.withdrawn, "observation")} moved or gone: taken out of where they were.`);
  if (opened.masked() > 0) output.text(`${count(opened.masked(), "secret")} masked.`);
  if (totals.calls > 0)
    output.text(
      `${count(totals.calls, "call")}, ${totals.inputTokens.toLocaleString("en-US")} tokens in, ${totals.outputTokens.toLocaleString("en-US")} out, ${dollars(totals.costUsd)}.`,
    );
  for (const failure of failures) output.warn(`${failure.project} · ${failure.type}: ${failure.reason}`);
  if (built.outcome === "paused")
    output.warn(
      `the run stopped${built.resumeAt === undefined ? "" : `; try again after ${built.resumeAt.toISOString()}`}: nothing is lost, the next build goes on from here`,
    );
  if (built.outcome === "interrupted")
    output.warn("interrupted: what is folded stays, the next build goes on from here");
  if (built.doubt !== null) warnOfDoubt(built.doubt, output);
  if (merge.choice.word === "extractive")
    output.note(
      "merged without a model; for a model's merges: build --model haiku (--dry-run shows what it would take)",
    );
  return built.exit;
}

/** What nobody knows before the merge stays as it is now. */
function reportAsItIs({ project, type }: Cell, digestId: number | undefined, store: Store): CellReport {
  const none = { revision: 0, items: [], units: 0, sourceMaxId: 0, sourceMaxEpoch: 0 };
  const digest = digestId === undefined ? none : loadDigest(store, digestId);
  return emptyReport({ ...digest, project, type });
}

export function estimated(plan: Plan, { config, merge }: Work): CellEstimate[] {
  return estimateCells(plan.cells, {
    maxRows: config.MAX_NEW_PER_RUN,
    cellBudget: config.CELL_BUDGET,
    model: merge.choice.kind === "none" ? null : merge.choice.model,
  });
}

export function totalOf(
  cells: readonly CellEstimate[],
): Pick<
  CellEstimate,
  "calls" | "inputTokens" | "outputTokens" | "costUsd" | "rows" | "batches" | "rowTokens"
> {
  const sum = (of: (cell: CellEstimate) => number) => cells.reduce((total, cell) => total + of(cell), 0);
  return {
    rows: sum((cell) => cell.rows),
    batches: sum((cell) => cell.batches),
    rowTokens: sum((cell) => cell.rowTokens),
    calls: sum((cell) => cell.calls),
    inputTokens: sum((cell) => cell.inputTokens),
    outputTokens: sum((cell) => cell.outputTokens),
    costUsd: cells.some((cell) => cell.costUsd === null) ? null : sum((cell) => cell.costUsd ?? 0),
  };
}

export function costOf({ costUsd }: Pick<CellEstimate, "costUsd">, { isFree }: ChosenMerge): string {
  if (isFree) return "no cost";
  return costUsd === null ? "unknown cost" : `about $${costUsd.toFixed(2)} at list price`;
}

/** Distinct observations: with all assigned, one row stands in several cells. */
export function rowsOf(plan: Plan): number {
  const ids = new Set(
    plan.cells.flatMap((cell): PlannedRow[] => [...cell.rows, ...cell.duplicates]).map((row) => row.id),
  );
  return ids.size + plan.skipped.length;
}

const NO_TOTALS = {
  observations: 0,
  folded: 0,
  duplicates: 0,
  skipped: 0,
  skippedBy: {},
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

function byProject<Report extends { project: string }>(
  cells: readonly Report[],
): { project: string; cells: Omit<Report, "project">[] }[] {
  return [...Map.groupBy(cells, (cell) => cell.project)].map(([project, own]) => ({
    project,
    cells: own.map(({ project: _, ...cell }) => cell),
  }));
}

function pick({
  calls,
  inputTokens,
  outputTokens,
  costUsd,
}: Pick<CellEstimate, "calls" | "inputTokens" | "outputTokens" | "costUsd">) {
  return { calls, inputTokens, outputTokens, costUsd };
}

function doubtExit(doubt: string | null): ExitCode {
  return doubt === null ? Exit.done : Exit.refused;
}

function warnOfDoubt(doubt: string, output: Output): void {
  output.warn(
    `${doubt}; nothing was forgotten. If the rows were deleted on purpose: build --accept-deletions`,
  );
}

function reasons(skippedBy: Record<string, number>): string {
  const parts = Object.entries(skippedBy).map(([reason, number]) => `${number} ${reason}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function dollars(costUsd: number | null): string {
  return costUsd === null ? "unknown" : `$${costUsd.toFixed(2)}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}
