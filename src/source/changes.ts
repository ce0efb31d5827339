import { LAST_ID } from "./columns.ts";
import type { SourceRow } from "./observations.ts";
import type { Source } from "./open.ts";
import { epochOf, revisionOf, textOf } from "./values.ts";

/**
 * What tells a row from another of the same id, after a restore or a replacement: 53 bits of its time and
 * texts. Not of project, concepts and type, which claude-mem changes in place. xxHash64, because its
 * values are fixed by its definition and not by a version of Bun.
 */
export function fingerprint(row: SourceRow): number {
  const { epoch, title, subtitle, narrative, facts, text } = row;
  return hash53(`${epoch}\n${title}\n${subtitle}\n${narrative}\n${facts}\n${text}`);
}

function hash53(text: string): number {
  return Number(BigInt.asUintN(53, Bun.hash.xxHash64(text)));
}

/** A row by which a source is known again. */
export interface Mark {
  id: number;
  hash: number;
}

/** So many rows mark a source, where it has them. */
export const MARKS = 8;

/** Marks of the first rows, for a store that has none yet. */
export function identity(source: Source): Mark[] {
  const { id } = source.columns;
  return marks(source, `${id} BETWEEN 1 AND ${LAST_ID} ORDER BY ${id} LIMIT ${MARKS}`, []);
}

/**
 * Looks a store's marks up in this source. `same`: most of the marked rows that are still here are
 * unchanged. `other`: most say something else. `unknown`: none is left, which proves nothing.
 */
export function recognise(source: Source, known: readonly Mark[]): "same" | "other" | "unknown" {
  const ids = JSON.stringify(known.map((mark) => mark.id));
  const found = marks(source, `${source.columns.id} IN (SELECT value FROM json_each(?))`, [ids]);
  if (found.length === 0) return "unknown";
  const hashes = new Map(known.map((mark) => [mark.id, mark.hash]));
  const equal = found.filter((mark) => hashes.get(mark.id) === mark.hash).length;
  return equal * 2 >= found.length ? "same" : "other";
}

function marks(source: Source, where: string, bindings: string[]): Mark[] {
  // A foreign database may lack the title; the epoch is always there.
  const title = source.columns.title ? "substr(title, 1, 500)" : "NULL";
  return source
    .all<{ id: number; epoch: unknown; title: unknown }>(
      `SELECT ${source.columns.id} AS id, created_at_epoch AS epoch, ${title} AS title FROM observations WHERE ${where}`,
      ...bindings,
    )
    .map((row) => ({ id: row.id, hash: hash53(`${row.id}\n${epochOf(row.epoch)}\n${textOf(row.title)}`) }));
}

/** How many rows a project has and which, in three numbers. Equal numbers: the same rows. */
export interface Mass {
  count: number;
  /** Sum of the ids, each modulo 2^32: SQLite refuses sums past 2^63. */
  sum: number;
  /** Sum of the squares of the ids modulo 8191: notices two rows that trade places with two others. */
  moment: number;
}

export interface Shape extends Mass {
  maxId: number;
  /** By `merged_into_project`, where set, else `project`; as written, before aliases. */
  projects: ReadonlyMap<string, Mass>;
}

/**
 * Row counts and sums from an index that every version of claude-mem has, about 0.1 µs a row. The `+`
 * keeps SQLite from reading the table in the order of its ids instead.
 */
export function shape(source: Source): Shape {
  const { id } = source.columns;
  const groups = source.all<{ project: unknown; maxId: number } & Mass>(
    `SELECT project, max(${id}) AS maxId, count(*) AS count, sum(${id} & 4294967295) AS sum,
       sum((${id} % 8191) * (${id} % 8191)) AS moment
     FROM observations WHERE +${id} BETWEEN 1 AND ${LAST_ID} GROUP BY project`,
  );
  const projects = new Map<string, Mass>();
  const total = { count: 0, sum: 0, moment: 0 };
  for (const { project, count, sum, moment } of groups) {
    addMass(projects, textOf(project), { count, sum, moment }, 1);
    total.count += count;
    total.sum += sum;
    total.moment += moment;
  }
  for (const row of mergedRows(source)) {
    addMass(projects, row.project, massOf(row.id), -1);
    addMass(projects, row.merged, massOf(row.id), 1);
  }
  for (const [name, mass] of projects) if (mass.count === 0) projects.delete(name);
  return { ...total, maxId: groups.reduce((max, group) => Math.max(max, group.maxId), 0), projects };
}

/** What a caller sums up from the ids that it knows, to compare. */
export function massOf(id: number): Mass {
  return { count: 1, sum: id % 2 ** 32, moment: (id % 8191) * (id % 8191) };
}

/** Adds to (or takes from) what a project has. */
export function addMass(projects: Map<string, Mass>, name: string, mass: Mass, sign: 1 | -1 = 1): void {
  const before = projects.get(name) ?? { count: 0, sum: 0, moment: 0 };
  projects.set(name, {
    count: before.count + sign * mass.count,
    sum: before.sum + sign * mass.sum,
    moment: before.moment + sign * mass.moment,
  });
}

/** Adopted rows are few; 12.2 and later have an index for them. */
function mergedRows(source: Source): { id: number; project: string; merged: string }[] {
  if (!source.columns.merged) return [];
  return source
    .all<{ id: number; project: unknown; merged: unknown }>(
      `SELECT ${source.columns.id} AS id, project, merged_into_project AS merged
       FROM observations WHERE merged_into_project > '' AND +${source.columns.id} BETWEEN 1 AND ${LAST_ID}`,
    )
    .map((row) => ({ id: row.id, project: textOf(row.project), merged: textOf(row.merged) }));
}

/**
 * Rows from `from` to `to` that claude-mem says were changed, with their `sync_rev`; none where the
 * schema has no such column. Reads every row of the range.
 */
export function changedRevisions(source: Source, from: number, to: number): Map<number, number> {
  if (!source.columns.syncRev) return new Map();
  const { id } = source.columns;
  const rows = source.all<{ id: number; revision: unknown }>(
    `SELECT ${id} AS id, sync_rev AS revision FROM observations WHERE ${id} BETWEEN ? AND ? AND sync_rev <> '1'`,
    from,
    to,
  );
  return new Map(rows.map((row) => [row.id, revisionOf(row.revision)]));
}
