import type { Item } from "../../src/digest/item.ts";
import type { Observation } from "../../src/digest/observation.ts";
import type { MergeRequest } from "../../src/merge/merge.ts";

/** Midnight UTC of a day like `2026-03-02`, or a time of it. */
export function epochOf(day: string): number {
  return Date.parse(day.includes("T") ? `${day}Z` : `${day}T00:00Z`);
}

export function itemOf(id: number, day: string, text: string, more: Partial<Item> = {}): Item {
  const epoch = epochOf(day);
  return {
    id,
    text,
    sources: [id],
    firstEpoch: epoch,
    lastEpoch: epoch,
    confirmations: 0,
    pinned: false,
    origin: "merged",
    ...more,
  };
}

export function noteOf(id: number, day: string, title: string, more: Partial<Observation> = {}): Observation {
  return {
    id,
    project: "shop",
    type: "discovery",
    concepts: ["gotcha"],
    title,
    subtitle: "",
    narrative: "",
    facts: [],
    text: "",
    epoch: epochOf(day),
    ...more,
  };
}

export function requestOf(
  items: readonly Item[],
  observations: readonly Observation[],
  more: Partial<MergeRequest> = {},
): MergeRequest {
  return {
    project: "shop",
    type: "gotcha",
    items,
    observations,
    budgetUnits: 2400,
    now: epochOf("2026-12-31"),
    ...more,
  };
}
