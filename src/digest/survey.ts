import type { SourceRow } from "../source/observations.ts";
import type { LedgerRow } from "../store/ledger.ts";
import {
  type Cell,
  type PlannedCell,
  type PlannedDuplicate,
  type PlannedRow,
  type PlannedSkip,
  type Withdrawal,
  cellKey,
} from "./plan.ts";
import { type StandInGround, StandIns } from "./stand-ins.ts";

/** Where a row belongs by what it says and by the person's settings. */
export type Place =
  | { kind: "cells"; project: string; types: readonly string[] }
  | { kind: "skip"; project: string; reason: string }
  /** Too young yet: left for a later run. */
  | { kind: "later"; project: string };

/** What the survey asks of the world, as functions: it knows no column, no setting and no query. */
export interface Ground extends StandInGround {
  /** Rows with id > `after`, by id, at most a page; none: the end. Throws the reason of a Ctrl-C. */
  page: (after: number) => Promise<SourceRow[]>;
  place: (row: SourceRow) => Place;
  planned: (row: SourceRow) => PlannedRow;
  fingerprint: (row: SourceRow) => number;
  /** Ledger rows with `from` ≤ observation id ≤ `to`, by id. */
  ledger: (from: number, to: number) => LedgerRow[];
}

/** What a build would do, as data. */
export interface Survey {
  cells: PlannedCell[];
  skipped: PlannedSkip[];
  withdrawals: Withdrawal[];
  /** Rows left for later, by project. */
  later: Map<string, number>;
  /** The greatest id seen. */
  through: number;
}

/**
 * Reads the source's rows behind `after`, and `changed` ones before it, and sorts those that the ledger
 * does not know, or knows otherwise: into cells, as duplicates, as skipped. Ledger rows whose observation
 * is missing in that range are withdrawn as deleted; rows that say or belong to something else as changed
 * or moved, and planned anew. Duplicates are decided here, in the order of ids, before any cell runs.
 */
export async function survey(
  ground: Ground,
  after: number,
  changed: readonly SourceRow[] = [],
): Promise<Survey> {
  const plan = new PlanUnderway(ground);
  for (const row of changed) plan.take(row, ground.ledger(row.id, row.id));
  let seen = after;
  for (let rows = await ground.page(seen); rows.length > 0; rows = await ground.page(seen)) {
    const last = rows.at(-1)?.id ?? seen;
    const known = Map.groupBy(ground.ledger(seen + 1, last), (row) => row.observationId);
    const present = new Set(rows.map((row) => row.id));
    plan.missing([...known.keys()].filter((id) => !present.has(id))); // first: what is gone stands for nothing
    for (const row of rows) plan.take(row, known.get(row.id) ?? []);
    seen = last;
  }
  plan.missing([
    ...new Set(ground.ledger(seen + 1, Number.MAX_SAFE_INTEGER).map((row) => row.observationId)),
  ]);
  return plan.finished(seen);
}

/**
 * What of a survey is left to do while nothing may be forgotten: rows that say something else than they did
 * stay as they were known, and nothing comes to stand with them.
 */
export function keepingKnown(found: Survey): Survey {
  const kept = new Set(
    found.withdrawals.flatMap(({ why, observationId }) => (why === "moved" ? [] : [observationId])),
  );
  return {
    ...found,
    withdrawals: found.withdrawals.filter(({ why }) => why === "moved"),
    skipped: found.skipped.filter(({ id }) => !kept.has(id)),
    cells: found.cells
      .map((cell) => ({
        ...cell,
        rows: cell.rows.filter(({ id }) => !kept.has(id)),
        duplicates: cell.duplicates.filter(({ id, standsFor }) => !kept.has(id) && !kept.has(standsFor)),
      }))
      .filter(hasWork),
  };
}

class PlanUnderway {
  private readonly cells = new Map<
    string,
    { project: string; type: string; rows: PlannedRow[]; duplicates: PlannedDuplicate[] }
  >();
  private readonly standIns: StandIns;
  private readonly places = new Map<string, readonly Cell[]>();
  private readonly withdrawn = new Map<number, Withdrawal["why"]>();
  private readonly skipped: PlannedSkip[] = [];
  private readonly later = new Map<string, number>();
  /** Known duplicates in a cell that is none of their own: they are there for the row that stands for them. */
  private readonly guests = new Map<number, number[]>();

  constructor(private readonly ground: Ground) {
    this.standIns = new StandIns(ground);
  }

  take(row: SourceRow, known: readonly LedgerRow[]): void {
    const place = this.ground.place(row);
    if (known.length === 0) return this.plan(row, place, []);
    if (known.some((entry) => entry.fingerprint !== this.ground.fingerprint(row)))
      return this.again(row, place, "changed");
    if (place.kind === "later") return;
    const cells = known.flatMap((entry) => this.ground.cellOf(entry.digestId) ?? []);
    if (place.kind === "skip") {
      if (cells.length > 0) this.again(row, place, "moved");
    } else if (!this.staysIn(known, cells, place)) this.again(row, place, "moved");
    else this.plan(row, place, cells);
  }

  /** A duplicate stays with the row that stands for it, as long as that one stays. */
  private staysIn(
    known: readonly LedgerRow[],
    cells: readonly Cell[],
    place: Extract<Place, { kind: "cells" }>,
  ): boolean {
    if (cells.length === 0) return false; // it was skipped before
    if (cells.some((cell) => cell.project !== place.project)) return false;
    if (cells.every((cell) => place.types.includes(cell.type))) return true;
    const hosts = known.flatMap(({ outcome, standsFor }) => (outcome === "d" ? (standsFor ?? []) : []));
    const [guest] = known;
    if (guest === undefined || hosts.length < known.length) return false;
    if (hosts.some((host) => this.withdrawn.has(host))) return false;
    this.guests.set(guest.observationId, hosts);
    return true;
  }

  missing(ids: readonly number[]): void {
    for (const id of ids) this.withdrawn.set(id, "deleted");
  }

  finished(through: number): Survey {
    for (let ids = this.deserted(); ids.length > 0; ids = this.deserted()) {
      for (const row of this.ground.rows(ids)) this.take(row, this.ground.ledger(row.id, row.id));
    }
    const byId = (a: PlannedRow, b: PlannedRow) => a.id - b.id;
    return {
      cells: [...this.cells.values()]
        .filter(hasWork)
        .map((cell) => ({
          ...cell,
          rows: cell.rows.toSorted(byId),
          duplicates: cell.duplicates.toSorted(byId),
        }))
        .toSorted((a, b) => compare(a.project, b.project) || compare(a.type, b.type)),
      skipped: this.skipped,
      withdrawals: [...this.withdrawn].map(([observationId, why]) => ({ observationId, why })),
      later: this.later,
      through,
    };
  }

  /**
   * Takes out those who stood with a row that was found to leave only after they had been looked at, and
   * says who they are: they have to be planned anew.
   */
  private deserted(): number[] {
    const found = new Set<number>();
    for (const [guest, hosts] of this.guests) {
      if (!hosts.some((host) => this.withdrawn.has(host))) continue;
      this.guests.delete(guest);
      found.add(guest);
    }
    if (this.withdrawn.size === 0) return [];
    for (const cell of this.cells.values()) {
      const here = new Set(cell.rows.map((row) => row.id));
      const isDeserted = ({ standsFor }: PlannedDuplicate) =>
        this.withdrawn.has(standsFor) && !here.has(standsFor);
      for (const { id } of cell.duplicates.filter(isDeserted)) found.add(id);
    }
    for (const cell of this.cells.values()) {
      cell.duplicates = cell.duplicates.filter(({ id }) => !found.has(id));
    }
    return [...found];
  }

  private again(row: SourceRow, place: Place, why: Withdrawal["why"]): void {
    this.withdrawn.set(row.id, why);
    this.plan(row, place, []);
  }

  /** `already`: cells that a run which was cut off has put the row into. */
  private plan(row: SourceRow, place: Place, already: readonly Cell[]): void {
    if (place.kind === "later") {
      this.later.set(place.project, (this.later.get(place.project) ?? 0) + 1);
      return;
    }
    if (place.kind === "cells" && place.types.length <= already.length) return;
    const planned = this.ground.planned(row);
    if (place.kind === "skip") {
      this.skipped.push({ ...planned, project: place.project, reason: place.reason });
      return;
    }
    const standIn = this.standIns.find(planned.titleKey, row, (id) => this.withdrawn.has(id));
    const cells = standIn?.cells ?? this.cellsOf(place.project, place.types);
    if (standIn === null) this.standIns.add(planned.titleKey, { id: row.id, cells, stored: null });
    for (const cell of cells.filter((one) => !already.some((other) => cellKey(other) === cellKey(one)))) {
      const target = this.cell(cell);
      if (standIn === null) target.rows.push(planned);
      else target.duplicates.push({ ...planned, standsFor: standIn.id });
    }
  }

  /** The same few lists for all rows: there may be a million. */
  private cellsOf(project: string, types: readonly string[]): readonly Cell[] {
    const key = [project, ...types].join("\u0000");
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const made = types.map((type) => ({ project, type }));
    this.places.set(key, made);
    return made;
  }

  private cell(cell: Cell): { rows: PlannedRow[]; duplicates: PlannedDuplicate[] } {
    const key = cellKey(cell);
    const known = this.cells.get(key);
    if (known !== undefined) return known;
    const made = { ...cell, rows: [], duplicates: [] };
    this.cells.set(key, made);
    return made;
  }
}

function hasWork({ rows, duplicates }: PlannedCell): boolean {
  return rows.length > 0 || duplicates.length > 0;
}

/** By UTF-16 units, the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
