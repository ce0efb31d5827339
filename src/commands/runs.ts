import type { Database } from "bun:sqlite";
import { z } from "zod";
import { Exit, usageError } from "../errors.ts";
import { readStoreOrThrow } from "../store/error.ts";
import {
  type CallRow,
  type FailureRow,
  type RunRow,
  type Spending,
  callsOf,
  failuresOf,
  isRun,
  latestRuns,
  spending,
} from "../store/spending.ts";
import type { Run } from "./command.ts";
import { type Output, renderTable } from "./output.ts";

const Options = z.object({
  days: z.coerce.number().int().min(1).default(30),
  last: z.coerce.number().int().min(1).default(10),
  run: z.coerce.number().int().min(1).optional(),
});

const DAY = 86_400_000;

export const run: Run = async ({ options }, { config, output }) => {
  const parsed = Options.safeParse(options);
  if (!parsed.success)
    throw usageError("bad-option", "--days, --last and --run take a whole number from 1 on");
  const { days, last, run: id } = parsed.data;
  if (id === undefined) {
    const found = readStoreOrThrow(config.DIGEST_DB, (db) => ({
      spent: spending(db, Date.now() - days * DAY),
      runs: latestRuns(db, last),
    }));
    report(found ?? { spent: [], runs: [] }, days, output);
  } else {
    const found = readStoreOrThrow(config.DIGEST_DB, (db) => oneRun(db, id));
    if (found === null)
      throw usageError("unknown-run", `there is no run ${id}`, "`persisted-memory runs` lists them");
    reportRun(id, found, output);
  }
  return Exit.done;
};

interface OneRun {
  calls: CallRow[];
  failures: FailureRow[];
}

function oneRun(db: Database, id: number): OneRun | null {
  return isRun(db, id) ? { calls: callsOf(db, id), failures: failuresOf(db, id) } : null;
}

function report(
  { spent, runs }: { spent: readonly Spending[]; runs: readonly RunRow[] },
  days: number,
  output: Output,
): void {
  output.object({ spending: spent, runs: runs.map(withTimes) });
  if (spent.length === 0) output.text(`No model was called in the last ${days} days: nothing was spent.`);
  else output.text(spendingTable(spent));
  if (runs.length > 0) output.text(`\n${runsTable(runs)}`);
}

function spendingTable(spent: readonly Spending[]): string {
  const rows = spent.map((row) => [
    row.day,
    row.model,
    row.project,
    row.purpose,
    row.calls,
    row.failed,
    row.inputTokens,
    row.outputTokens,
    dollars(row.costUsd),
  ]);
  const sum = (of: (row: Spending) => number) => spent.reduce((total, row) => total + of(row), 0);
  const total = [
    "total",
    "",
    "",
    "",
    sum((row) => row.calls),
    sum((row) => row.failed),
    sum((row) => row.inputTokens),
    sum((row) => row.outputTokens),
    dollars(spent.some((row) => row.costUsd === null) ? null : sum((row) => row.costUsd ?? 0)),
  ];
  return renderTable(
    ["day", "model", "project", "for", "calls", "failed", "tokens in", "out", "cost"],
    [...rows, total],
    [8],
  );
}

function runsTable(runs: readonly RunRow[]): string {
  return renderTable(
    ["run", "started", "command", "model", "outcome", "folded", "duplicates", "calls", "cost", "why"],
    runs.map((row) => [
      String(row.id),
      minute(row.startedAt),
      row.command,
      row.model,
      row.outcome,
      row.folded,
      row.duplicates,
      row.calls,
      dollars(row.costUsd),
      row.reason ?? "",
    ]),
    [8],
  );
}

function reportRun(id: number, { calls, failures }: OneRun, output: Output): void {
  output.object({
    run: id,
    calls: calls.map((call) => ({ ...call, at: new Date(call.at).toISOString() })),
    failures,
  });
  const rows = calls.map((call) => [
    minute(call.at),
    call.project,
    call.type,
    call.model,
    call.promptVersion,
    call.batchRows,
    call.inputTokens,
    call.outputTokens,
    dollars(call.costUsd),
    call.outcome,
    call.reason ?? "",
  ]);
  output.text(
    rows.length === 0
      ? `Run ${id} called no model.`
      : renderTable(
          ["at", "project", "type", "model", "prompt", "rows", "tokens in", "out", "cost", "outcome", "why"],
          rows,
          [8],
        ),
  );
  for (const failure of failures) {
    output.text(`\n${failure.project} · ${failure.type}: ${failure.reason}`);
    for (const finding of failure.findings) output.text(`  ${finding}`);
  }
}

function withTimes(row: RunRow) {
  return {
    ...row,
    startedAt: new Date(row.startedAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
  };
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

function dollars(costUsd: number | null): string {
  return costUsd === null ? "unknown" : `$${costUsd.toFixed(costUsd > 0 && costUsd < 0.1 ? 4 : 2)}`;
}
