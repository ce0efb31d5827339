/** Where an item's words come from: a merge of observations, a person, an import. */
export type ItemOrigin = "merged" | "manual" | "imported";

/** One fact, decision or trap of a digest, with the identifiers, paths and numbers of its sources word for word. */
export interface Item {
  id: number;
  /** One line, at most `ITEM_UNITS` UTF-16 units. */
  text: string;
  /** Ids of the observations that the item stands for, ascending. */
  sources: readonly number[];
  /** Milliseconds. */
  firstEpoch: number;
  lastEpoch: number;
  /** How often later observations said the same again; exact duplicates don't count. */
  confirmations: number;
  pinned: boolean;
  origin: ItemOrigin;
}

/** A longer text is split into facts, else cut; the whole stays reachable through its sources. */
export const ITEM_UNITS = 600;

/** What an item costs its digest: one line. */
export function itemUnits(item: Item): number {
  return item.text.length + 1;
}

/** UTF-16 units of a digest: one line an item. */
export function digestUnits(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemUnits(item), 0);
}
