import type { Database } from "bun:sqlite";

/** What calls took, summed up. */
export interface Spending {
  /** Local day, YYYY-MM-DD. */
  day: string;
  model: string;
  project: string;
  purpose: string;
  calls: number;
  /** Calls that gave no usable answer. */
  failed: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; null where a call's cost is not known. */
  costUsd: number | null;
}

/** Per day, model, project and purpose, newest day first. `since`: milliseconds. */
export function spending(db: Database, since: number): Spending[] {
  return db
    .query<Spending, [number]>(
      `SELECT date(at / 1000, 'unixepoch', 'localtime') AS day, model, project, purpose, count(*) AS calls,
              sum(outcome <> 'answered') AS failed, sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens,
              iif(count(*) = count(cost_usd), sum(cost_usd), NULL) AS costUsd
       FROM calls WHERE at >= ? GROUP BY day, model, project, purpose ORDER BY day DESC, model, project, purpose`,
    )
    .all(since);
}

export interface RunRow {
  id: number;
  command: string;
  model: string;
  outcome: string;
  reason: string | null;
  /** Milliseconds. */
  startedAt: number;
  finishedAt: number | null;
  folded: number;
  duplicates: number;
  skipped: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

/** The newest runs, newest first. */
export function latestRuns(db: Database, limit: number): RunRow[] {
  return db
    .query<RunRow, [number]>(
      `SELECT runs.id, command, runs.model, runs.outcome, runs.reason, started_at AS startedAt, finished_at AS finishedAt,
              folded, duplicates, skipped, count(calls.id) AS calls, coalesce(sum(input_tokens), 0) AS inputTokens,
              coalesce(sum(output_tokens), 0) AS outputTokens,
              iif(count(calls.id) = count(calls.cost_usd), coalesce(sum(calls.cost_usd), 0), NULL) AS costUsd
       FROM (SELECT * FROM runs ORDER BY id DESC LIMIT ?) AS runs LEFT JOIN calls ON calls.run_id = runs.id
       GROUP BY runs.id ORDER BY runs.id DESC`,
    )
    .all(limit);
}

export interface CallRow {
  at: number;
  purpose: string;
  project: string;
  type: string;
  model: string;
  promptVersion: string;
  batchRows: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
  outcome: string;
  reason: string | null;
}

export function isRun(db: Database, id: number): boolean {
  return db.query("SELECT 1 FROM runs WHERE id = ?").get(id) !== null;
}

/** One run's calls, in order. */
export function callsOf(db: Database, runId: number): CallRow[] {
  return db
    .query<CallRow, [number]>(
      `SELECT at, purpose, project, type, model, prompt_version AS promptVersion, batch_rows AS batchRows,
              input_tokens AS inputTokens, output_tokens AS outputTokens, cost_usd AS costUsd, outcome, reason
       FROM calls WHERE run_id = ? ORDER BY id`,
    )
    .all(runId);
}

export interface FailureRow {
  project: string;
  type: string;
  code: string;
  reason: string;
  findings: string[];
}

/** What failed in one run. */
export function failuresOf(db: Database, runId: number): FailureRow[] {
  return db
    .query<Omit<FailureRow, "findings"> & { findings: string | null }, [number]>(
      "SELECT project, type, code, reason, findings FROM failures WHERE run_id = ? ORDER BY id",
    )
    .all(runId)
    .map((row) => ({
      ...row,
      findings: row.findings === null ? [] : (JSON.parse(row.findings) as string[]),
    }));
}
