import { type Reading, readText } from "../text/words.ts";
import type { Item } from "./item.ts";

const READINGS = new WeakMap<Item, Reading>();

/** The reading of an item. Items are values: what was read once is read for as long as the item is about. */
export function readingOf(item: Item): Reading {
  const known = READINGS.get(item);
  if (known !== undefined) return known;
  const reading = readText(item.text);
  READINGS.set(item, reading);
  return reading;
}
