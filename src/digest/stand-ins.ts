import type { SourceRow } from "../source/observations.ts";
import type { Cell } from "./plan.ts";

/** The row that stands for all that say the same, and where it is. */
export interface StandIn {
  id: number;
  cells: readonly Cell[];
  /** The accounted row whose text says the same: itself or a paraphrase of it; null: it is planned only. */
  stored: number | null;
}

export interface StandInGround {
  /** Accounted rows with this title key, who stands for each and in which digest, by id; exact duplicates are not among them. */
  stored: (titleKey: number) => readonly { observationId: number; standIn: number; digestId: number }[];
  cellOf: (digestId: number) => Cell | undefined;
  /** Equal for rows that say the same, and only for them. */
  sameKey: (row: SourceRow) => number;
  rows: (ids: readonly number[]) => SourceRow[];
}

/**
 * Who stands for whom. Looks at whole texts only where titles are the same: hardly any two rows share
 * one, and a whole text costs as much to compare as to fold.
 */
export class StandIns {
  readonly #ground: StandInGround;
  readonly #titles = new Map<number, Titled>();

  constructor(ground: StandInGround) {
    this.#ground = ground;
  }

  /** Who stands for the row, `isGone` ones left out; null: nobody yet. */
  find(titleKey: number, row: SourceRow, isGone: (id: number) => boolean): StandIn | null {
    const titled = this.#titles.get(titleKey) ?? this.#load(titleKey);
    if (titled.unread.length === 0 && titled.read === null) return null;
    const found = this.#read(titled).get(this.#ground.sameKey(row));
    return (
      found?.find((standIn) => standIn.id !== row.id && (standIn.stored === null || !isGone(standIn.id))) ??
      null
    );
  }

  /** From now on the row stands for those that say the same. */
  add(titleKey: number, standIn: StandIn): void {
    this.#titles.get(titleKey)?.unread.push(standIn);
  }

  #load(titleKey: number): Titled {
    const stored = this.#ground.stored(titleKey);
    const unread = stored.length === 0 ? [] : this.#standIns(stored);
    const titled: Titled = { unread, read: null };
    this.#titles.set(titleKey, titled);
    return titled;
  }

  #standIns(stored: ReturnType<StandInGround["stored"]>): StandIn[] {
    const pairs = Map.groupBy(stored, (row) => `${row.observationId} ${row.standIn}`);
    return [...pairs.values()].flatMap(([first, ...others]): StandIn[] => {
      if (first === undefined) return [];
      const cells = [first, ...others].flatMap(({ digestId }) => this.#ground.cellOf(digestId) ?? []);
      return [{ id: first.standIn, cells, stored: first.observationId }];
    });
  }

  #read(titled: Titled): Map<number, StandIn[]> {
    const read = (titled.read ??= new Map());
    if (titled.unread.length === 0) return read;
    const ids = titled.unread.map(textOf);
    const rows = new Map(this.#ground.rows(ids).map((row) => [row.id, row]));
    for (const standIn of titled.unread) {
      const row = rows.get(textOf(standIn));
      if (row === undefined) continue;
      const key = this.#ground.sameKey(row);
      read.set(key, [...(read.get(key) ?? []), standIn]);
    }
    titled.unread = [];
    return read;
  }
}

interface Titled {
  /** Those whose text nobody has asked for yet, by id. */
  unread: StandIn[];
  /** By `sameKey`; null while the title is the only one of its kind. */
  read: Map<number, StandIn[]> | null;
}

function textOf({ id, stored }: StandIn): number {
  return stored ?? id;
}
