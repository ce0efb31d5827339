import { expect, test } from "vitest";
import { gate } from "../../src/digest/gate.ts";
import type { Item } from "../../src/digest/item.ts";
import type { Observation } from "../../src/digest/observation.ts";
import { titles } from "./examples/titles.ts";

test("the merge that CONTRIBUTING.md shows does what it says, and the gate has nothing against it", async () => {
  const item: Item = {
    id: 7,
    text: "Uses Postgres 16",
    sources: [1],
    firstEpoch: 1,
    lastEpoch: 1,
    confirmations: 0,
    pinned: false,
    origin: "merged",
  };
  const request = {
    project: "widgets-api",
    type: "decision",
    items: [item],
    observations: [observation(2, "Uses Postgres 16"), observation(3, "Port is 4100"), observation(4, "")],
    budgetUnits: 2400,
    now: 10,
  };
  const outcome = await titles(request, new AbortController().signal);
  expect(outcome).toMatchObject({
    kind: "merged",
    operations: [
      { kind: "confirm", item: 7, from: [2] },
      { kind: "add", text: "Port is 4100", from: [3] },
      { kind: "skip", from: [4] },
    ],
  });
  expect(outcome.kind === "merged" && gate(request, outcome.operations)).toEqual([]);
});

function observation(id: number, title: string): Observation {
  return {
    id,
    project: "widgets-api",
    type: "decision",
    concepts: ["decision"],
    title,
    subtitle: "",
    narrative: "",
    facts: [],
    text: "",
    epoch: id,
  };
}
