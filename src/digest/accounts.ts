import type { LedgerEntry } from "../store/commit.ts";
import type { Cell, PlannedCell, PlannedSkip } from "./plan.ts";
import type { Survey } from "./survey.ts";

type Outcome = "f" | "d";

/** Who was accounted for in a run, and how; an observation in several cells counts once. */
export class Accounts {
  readonly #skips: readonly PlannedSkip[];
  /** Project → type → observation. */
  readonly #placed = new Map<string, Map<string, Map<number, Outcome>>>();
  #folded = 0;
  #duplicates = 0;

  constructor(skips: readonly PlannedSkip[]) {
    this.#skips = skips;
  }

  /** Observations accounted for. */
  get size(): number {
    return this.#folded + this.#duplicates + this.#skips.length;
  }

  take({ project, type }: Cell, ledger: readonly LedgerEntry[]): void {
    const cells = mapAt(this.#placed, project);
    const own = mapAt(cells, type);
    for (const { observationId: id, outcome } of ledger) {
      if (outcome === "s") continue;
      const before = outcomeIn(cells, id);
      own.set(id, outcome);
      if (before === "f" || before === outcome) continue;
      if (before === "d") this.#duplicates -= 1;
      if (outcome === "f") this.#folded += 1;
      else this.#duplicates += 1;
    }
  }

  totals(): {
    observations: number;
    folded: number;
    duplicates: number;
    skipped: number;
    skippedBy: Record<string, number>;
  } {
    const skippedBy: Record<string, number> = {};
    for (const { reason } of this.#skips) skippedBy[reason] = (skippedBy[reason] ?? 0) + 1;
    return {
      observations: this.size,
      folded: this.#folded,
      duplicates: this.#duplicates,
      skipped: this.#skips.length,
      skippedBy,
    };
  }

  /** How many rows of a survey are missing in a cell of theirs, by project; projects with none are left out. */
  behind(survey: Survey): Map<string, number> {
    const waiting = new Map(survey.later);
    for (const [project, cells] of Map.groupBy(survey.cells, (cell) => cell.project)) {
      const left = new Set(cells.flatMap((cell) => this.#leftOf(cell)));
      if (left.size > 0) waiting.set(project, (waiting.get(project) ?? 0) + left.size);
    }
    return waiting;
  }

  #leftOf({ project, type, rows, duplicates }: PlannedCell): number[] {
    const placed = this.#placed.get(project)?.get(type);
    if (placed?.size === rows.length + duplicates.length) return [];
    return [...rows, ...duplicates].map((row) => row.id).filter((id) => placed?.has(id) !== true);
  }
}

function outcomeIn(cells: ReadonlyMap<string, ReadonlyMap<number, Outcome>>, id: number): Outcome | null {
  let found: Outcome | null = null;
  for (const placed of cells.values()) {
    const outcome = placed.get(id);
    if (outcome === "f") return outcome;
    found ??= outcome ?? null;
  }
  return found;
}

function mapAt<Key, Inner>(maps: Map<string, Map<Key, Inner>>, name: string): Map<Key, Inner> {
  const known = maps.get(name);
  if (known !== undefined) return known;
  const made = new Map<Key, Inner>();
  maps.set(name, made);
  return made;
}
