export interface Cell {
  project: string;
  type: string;
}

export function cellKey({ project, type }: Cell): string {
  return `${project}\u0000${type}`;
}

/** A row of the source that a build will account for, without its text: plans of a million rows stay small. */
export interface PlannedRow {
  id: number;
  fingerprint: number;
  titleKey: number;
  /** UTF-16 units of the row's text. */
  units: number;
  /** Rough tokens of the row, for the size of batches. */
  tokens: number;
  /** claude-mem's `sync_rev`, where it is not 1. */
  sourceRevision: number | null;
}

export interface PlannedDuplicate extends PlannedRow {
  /** The observation that says the same; it is in this cell or comes before in its rows. */
  standsFor: number;
}

export interface PlannedSkip extends PlannedRow {
  project: string;
  reason: string;
}

export interface PlannedCell extends Cell {
  /** By id. */
  rows: readonly PlannedRow[];
  /** By id. */
  duplicates: readonly PlannedDuplicate[];
}

/** Observations that leave where they are: their rows are gone, belong elsewhere now, or say something else. */
export interface Withdrawal {
  observationId: number;
  why: "deleted" | "moved" | "changed" | "replaced";
}

/** One merge's worth of a cell. */
export interface Batch {
  rows: readonly PlannedRow[];
  /** Recorded with the batch; they reach no merge. */
  duplicates: readonly PlannedDuplicate[];
}

/** A batch's rows have at most so many rough tokens, whatever their number; a single larger row goes alone. */
export const BATCH_TOKENS = 24_000;

/**
 * A cell's batches: the next rows by id, cut by number and by tokens. The borders depend on nothing but
 * the rows that are left, so that a run that was cut off goes on as if it had not been. No duplicate comes
 * before the row that stands for it.
 */
export function batchesOf(cell: PlannedCell, maxRows: number): Batch[] {
  const batches: Batch[] = [];
  let duplicates = cell.duplicates.toSorted((a, b) => dueWith(a) - dueWith(b));
  for (let start = 0; start < cell.rows.length;) {
    const end = batchEnd(cell.rows, start, maxRows);
    const through = end < cell.rows.length ? (cell.rows[end - 1]?.id ?? 0) : Number.POSITIVE_INFINITY;
    const behind = duplicates.findIndex((row) => dueWith(row) > through);
    const count = behind < 0 ? duplicates.length : behind;
    batches.push({ rows: cell.rows.slice(start, end), duplicates: duplicates.slice(0, count) });
    duplicates = duplicates.slice(count);
    start = end;
  }
  if (duplicates.length > 0) batches.push({ rows: [], duplicates });
  return batches;
}

/** The part of a cell that so many batches take. */
export function firstBatches(cell: PlannedCell, maxRows: number, limit: number): PlannedCell {
  if (limit === Number.POSITIVE_INFINITY) return cell;
  const batches = batchesOf(cell, maxRows).slice(0, limit);
  return {
    ...cell,
    rows: batches.flatMap(({ rows }) => rows),
    duplicates: batches.flatMap(({ duplicates }) => duplicates),
  };
}

function dueWith({ id, standsFor }: PlannedDuplicate): number {
  return Math.max(id, standsFor);
}

function batchEnd(rows: readonly PlannedRow[], start: number, maxRows: number): number {
  let tokens = 0;
  let end = start;
  while (end < rows.length && end - start < maxRows) {
    tokens += rows[end]?.tokens ?? 0;
    if (end > start && tokens > BATCH_TOKENS) break;
    end += 1;
  }
  return end;
}

/** A batch that was too long for a model, as two; duplicates go with the second. */
export function halves({ rows, duplicates }: Batch): [Batch, Batch] {
  const middle = Math.ceil(rows.length / 2);
  return [
    { rows: rows.slice(0, middle), duplicates: [] },
    { rows: rows.slice(middle), duplicates },
  ];
}
