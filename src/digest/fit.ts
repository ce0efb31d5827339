import { type Item, digestUnits, itemUnits } from "./item.ts";
import { ranking } from "./rank.ts";

export interface Fitted {
  /** In the order of the digest; never over the budget. */
  kept: Item[];
  /** What had to leave, lowest rank first. */
  evicted: Item[];
}

/** Keeps a digest within its budget: while it is over, the item of the lowest rank leaves, as a whole. */
export function fit(items: readonly Item[], { budgetUnits }: { budgetUnits: number }): Fitted {
  if (digestUnits(items) <= budgetUnits) return { kept: [...items], evicted: [] };
  const rankOf = ranking(items);
  const evicted = lowest(
    items.map((item) => ({ value: item, units: itemUnits(item), rank: rankOf(item), age: item.id })),
    budgetUnits,
  );
  const gone = new Set(evicted);
  return { kept: items.filter((item) => !gone.has(item)), evicted };
}

export interface Ranked<T> {
  value: T;
  units: number;
  rank: number;
  /** Decides between equal ranks: the lower leaves first. */
  age: number;
}

/** What has to leave, lowest rank first, until the rest is within the budget. */
export function lowest<T>(ranked: readonly Ranked<T>[], budgetUnits: number): T[] {
  let over = ranked.reduce((sum, { units }) => sum + units, -budgetUnits);
  const evicted: T[] = [];
  for (const { value, units } of ranked.toSorted((a, b) => a.rank - b.rank || a.age - b.age)) {
    if (over <= 0) break;
    evicted.push(value);
    over -= units;
  }
  return evicted;
}
