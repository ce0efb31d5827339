import { expect, test } from "vitest";
import { fold } from "../../src/digest/fold.ts";
import { extractive } from "../../src/merge/extractive.ts";
import type { Merge } from "../../src/merge/merge.ts";
import { NO_USAGE } from "../../src/model/model.ts";
import { noteOf } from "../support/merge-request.ts";

const DAY = "2026-03-01";

const observations = [noteOf(1, DAY, "The queue is a Postgres table"), noteOf(2, DAY, "The cache is an LRU")];
const request = {
  project: "p",
  type: "gotcha",
  items: [],
  observations,
  budgetUnits: 2400,
  now: Date.UTC(2026, 5, 1),
};
const signal = new AbortController().signal;

/** Invents a port for row 1. */
const inventive =
  (calls: number): Merge =>
  async () => ({
    kind: "merged",
    operations: [
      { kind: "add", text: "The queue listens on port 5433", from: [1] },
      { kind: "add", text: "The cache is an LRU", from: [2] },
    ],
    usage: { ...NO_USAGE, calls },
  });

test("what a merge without a model gets wrong is left out, and its cell goes on", async () => {
  const outcome = await fold(request, { merge: inventive(0), fallback: extractive, nextItemId: 1 }, signal);
  expect(outcome).toMatchObject({ kind: "folded", items: [{ text: "The cache is an LRU" }] });
  if (outcome.kind === "folded")
    expect([...outcome.skipped]).toEqual([[1, "the gate refused its words: invented-token"]]);
});

test("what a model gets wrong refuses the batch", async () => {
  const outcome = await fold(request, { merge: inventive(1), fallback: extractive, nextItemId: 1 }, signal);
  expect(outcome).toMatchObject({
    kind: "refused",
    code: "gate",
    findings: [expect.stringContaining("invented-token")],
  });
});

test("rows that a merge says nothing about are folded without it", async () => {
  const silent: Merge = async () => ({ kind: "merged", operations: [], usage: { ...NO_USAGE, calls: 1 } });
  const outcome = await fold(request, { merge: silent, fallback: extractive, nextItemId: 1 }, signal);
  expect(outcome.kind === "folded" && outcome.items.map((item) => item.sources)).toEqual([[1], [2]]);
});
