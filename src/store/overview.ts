import type { Database } from "bun:sqlite";

/** All projects and cells of a store without their items, for people and for `--json`. */
export interface Overview {
  projects: ProjectOverview[];
  /** The latest build that had something to do. */
  lastRun: RunOverview | null;
  /** Cells that could not be folded and have not been since. */
  failures: FailureOverview[];
}

export interface ProjectOverview {
  name: string;
  observations: number;
  rawTokens: number;
  /** Rows seen but not folded yet. */
  behind: number;
  cells: CellOverview[];
}

export interface CellOverview {
  type: string;
  /** Observations folded into it or duplicates of such. */
  rows: number;
  items: number;
  units: number;
  revision: number;
  /** `epoch` in milliseconds. */
  watermark: { id: number; epoch: number };
  behind: number;
  /** Milliseconds; 0 before the first revision. */
  updatedAt: number;
}

export interface RunOverview {
  /** Milliseconds; `null` while it runs, or where a crash ended it. */
  finishedAt: number | null;
  startedAt: number;
  model: string;
  outcome: string;
  reason: string | null;
  folded: number;
  duplicates: number;
  skipped: number;
}

export interface FailureOverview {
  project: string;
  type: string;
  code: string;
  reason: string;
  /** Milliseconds. */
  at: number;
  findings: string[];
}

/** Inside a read of `readStore`. */
export function readOverview(db: Database): Overview {
  const rows = rowsByDigest(db);
  const projects = db
    .query<Omit<ProjectOverview, "cells"> & { id: number }, []>(
      "SELECT id, name, observations, raw_tokens AS rawTokens, behind FROM projects ORDER BY observations DESC, name",
    )
    .all()
    .map(({ id, ...project }) => ({ ...project, cells: readCells(db, id, rows) }));
  return {
    projects: projects.filter(({ cells, observations, behind }) => cells.length + observations + behind > 0),
    lastRun: db
      .query<RunOverview, []>(
        `SELECT started_at AS startedAt, finished_at AS finishedAt, model, outcome, reason, folded, duplicates, skipped
         FROM runs WHERE command = 'build' ORDER BY id DESC LIMIT 1`,
      )
      .get(),
    failures: readFailures(db),
  };
}

/** Names of the projects that the store knows, those without a single item included. */
export function storedProjects(db: Database): string[] {
  return db
    .query<{ name: string }, []>("SELECT name FROM projects ORDER BY name")
    .all()
    .map(({ name }) => name);
}

/** Projects that have something to read, the deepest history first. */
export function readableProjects(db: Database): string[] {
  return db
    .query<{ name: string }, []>(
      `SELECT name FROM projects
       WHERE observations > 0 OR EXISTS (SELECT 1 FROM items JOIN digests ON digests.id = digest_id WHERE project_id = projects.id)
       ORDER BY observations DESC, name`,
    )
    .all()
    .map(({ name }) => name);
}

/** The user's own project names: old to new. */
export function storedAliases(db: Database): Map<string, string> {
  const rows = db.query<{ old: string; new: string }, []>("SELECT old, new FROM aliases ORDER BY old").all();
  return new Map(rows.map((row) => [row.old, row.new]));
}

/** The texts of all of a project's items, a line each. */
export function digestText(db: Database, project: string): string {
  return db
    .query<{ text: string }, [string]>(
      `SELECT text FROM items JOIN digests ON digests.id = digest_id JOIN projects ON projects.id = project_id
       WHERE name = ?`,
    )
    .all(project)
    .map(({ text }) => text)
    .join("\n");
}

/** One look at the whole ledger, the only part that grows with the source. */
function rowsByDigest(db: Database): ReadonlyMap<number, number> {
  const counts = db
    .query<{ digestId: number; n: number }, []>(
      "SELECT digest_id AS digestId, count(*) AS n FROM ledger WHERE digest_id > 0 GROUP BY digest_id",
    )
    .all();
  return new Map(counts.map(({ digestId, n }) => [digestId, n]));
}

interface CellRow extends Omit<CellOverview, "rows" | "watermark"> {
  id: number;
  maxId: number;
  maxEpoch: number;
}

function readCells(db: Database, projectId: number, rows: ReadonlyMap<number, number>): CellOverview[] {
  return db
    .query<CellRow, [number]>(
      `SELECT id, type, (SELECT count(*) FROM items WHERE digest_id = digests.id) AS items, units, revision,
              source_max_id AS maxId, source_max_epoch AS maxEpoch, behind, updated_at AS updatedAt
       FROM digests WHERE project_id = ? ORDER BY type`,
    )
    .all(projectId)
    .map(({ id, maxId, maxEpoch, ...cell }) => ({
      ...cell,
      rows: rows.get(id) ?? 0,
      watermark: { id: maxId, epoch: maxEpoch },
    }));
}

function readFailures(db: Database): FailureOverview[] {
  return db
    .query<Omit<FailureOverview, "findings"> & { findings: string | null }, []>(
      "SELECT project, type, code, reason, at, findings FROM failures WHERE settled = 0 ORDER BY at DESC, id DESC",
    )
    .all()
    .map((failure) => ({ ...failure, findings: JSON.parse(failure.findings ?? "[]") as string[] }));
}
