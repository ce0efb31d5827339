import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/merge/merge.ts";
import { mock } from "../../src/merge/mock.ts";
import { itemOf, noteOf, requestOf } from "../support/merge-request.ts";

const DAY = "2026-03-01";

async function operationsOf(...[items, notes]: Parameters<typeof requestOf>): Promise<readonly Operation[]> {
  const outcome = await mock(requestOf(items, notes), new AbortController().signal);
  if (outcome.kind !== "merged") throw new Error(outcome.kind);
  return outcome.operations;
}

describe("mock", () => {
  test.each([
    ["title and first sentence", noteOf(1, DAY, "Title", { narrative: "One. Two." }), "Title — One."],
    ["title and first fact", noteOf(1, DAY, "Title", { facts: ["Fact", "Other"] }), "Title — Fact"],
    ["title alone", noteOf(1, DAY, "Title"), "Title"],
    ["narrative alone", noteOf(1, DAY, "", { narrative: "One. Two." }), "One."],
    ["the same twice in a row", noteOf(1, DAY, "Same", { narrative: "Same" }), "Same"],
    ["the text of old rows", noteOf(1, DAY, "", { text: "Old one. Old two." }), "Old one."],
  ])("%s", async (_, note, text) => {
    expect(await operationsOf([], [note])).toEqual([{ kind: "add", text, from: [1] }]);
  });

  test("says the same words once", async () => {
    const known = itemOf(7, DAY, "Known");
    const notes = [noteOf(1, DAY, "New"), noteOf(2, DAY, "known"), noteOf(3, DAY, "NEW"), noteOf(4, DAY, "")];
    expect(await operationsOf([known], notes)).toEqual([
      { kind: "confirm", item: 7, from: [2] },
      { kind: "skip", from: [4], reason: "empty" },
      { kind: "add", text: "New", from: [1, 3] },
    ]);
  });

  test("cuts to length, however long the row is", async () => {
    const [operation] = await operationsOf(
      [],
      [noteOf(1, DAY, "Title", { narrative: "word ".repeat(1_000_000) })],
    );
    expect(operation?.kind === "add" && operation.text.length <= 240 && operation.text.endsWith("…")).toBe(
      true,
    );
  });
});
