import { describe, expect, test } from "vitest";
import { apply } from "../../src/digest/apply.ts";
import { ITEM_UNITS, type Item } from "../../src/digest/item.ts";
import type { Operation } from "../../src/merge/merge.ts";
import { epochOf, itemOf, noteOf, requestOf } from "../support/merge-request.ts";

const items = [
  itemOf(10, "2026-03-02", "Port 80", { sources: [1], confirmations: 1 }),
  itemOf(11, "2026-03-04", "Pinned", { sources: [2], pinned: true }),
  itemOf(12, "2026-03-06", "Newer", { sources: [3] }),
];
const notes = [noteOf(21, "2026-03-05", "A"), noteOf(22, "2026-03-07", "B"), noteOf(23, "2027-06-01", "C")];
const request = requestOf(items, notes);
const run = (...operations: Operation[]) => apply(request, operations, 100);
const texts = (all: readonly Item[]) => all.map(({ text }) => text);

describe("applying operations", () => {
  test("none leave the digest as it is", () => {
    expect(run()).toEqual({ items, left: [], passed: [], accounted: new Map(), nextItemId: 100 });
  });

  test("an added text stands at the end, with its lineage", () => {
    const { items: after, nextItemId } = run({ kind: "add", text: " New\n thing ", from: [22, 21, 22] });
    expect(after.at(-1)).toEqual({
      id: 100,
      text: "New thing",
      sources: [21, 22],
      firstEpoch: epochOf("2026-03-05"),
      lastEpoch: epochOf("2026-03-07"),
      confirmations: 1,
      pinned: false,
      origin: "merged",
    });
    expect(nextItemId).toBe(101);
  });

  test("a long text becomes several items that a digest can hold", () => {
    const text = `W${"word ".repeat(80)}end. `.repeat(3);
    const { items: after, nextItemId } = run({ kind: "add", text, from: [21] });
    expect(after.length).toBe(6);
    expect(after.every((item) => item.text.length <= ITEM_UNITS)).toBe(true);
    expect(nextItemId).toBe(103);
  });

  test("what cannot be traced is not added", () => {
    expect(run({ kind: "add", text: "From nowhere", from: [999] }).items).toEqual(items);
  });

  test("a future date counts as now", () => {
    expect(run({ kind: "add", text: "Later", from: [23] }).items.at(-1)?.lastEpoch).toBe(request.now);
  });

  test("a confirmation counts each further observation once", () => {
    const { items: after } = run(
      { kind: "confirm", item: 10, from: [21, 21, 22] },
      { kind: "confirm", item: 10, from: [22] },
    );
    expect(after[0]).toMatchObject({
      id: 10,
      sources: [1, 21, 22],
      confirmations: 3,
      lastEpoch: epochOf("2026-03-07"),
    });
  });

  test("a new wording takes the first place of what it is made from", () => {
    const { items: after, left } = run({ kind: "rewrite", items: [10, 12], text: "Both", from: [22] });
    expect(texts(after)).toEqual(["Both", "Pinned"]);
    expect(after[0]).toMatchObject({ id: 100, sources: [1, 3, 22], confirmations: 2 });
    expect(left.map(({ item, kind, replacedBy }) => [item.id, kind, replacedBy])).toEqual([
      [10, "rewritten", 100],
      [12, "rewritten", 100],
    ]);
  });

  test("a new value confirms nothing", () => {
    const { items: after, left } = run({
      kind: "rewrite",
      items: [10],
      text: "Port 90",
      from: [22],
      reason: "changed",
    });
    expect(after[0]).toMatchObject({ text: "Port 90", confirmations: 1 });
    expect(left[0]).toMatchObject({ kind: "superseded", reason: "changed", replacedBy: 100 });
  });

  test.each<[string, Operation[], number | undefined]>([
    [
      "the item added behind it",
      [
        { kind: "drop", item: 10, reason: "r", from: [22] },
        { kind: "add", text: "N", from: [22] },
      ],
      100,
    ],
    [
      "the item confirmed before it",
      [
        { kind: "confirm", item: 12, from: [22] },
        { kind: "drop", item: 10, reason: "r", from: [22] },
      ],
      12,
    ],
    [
      "nothing of another observation",
      [
        { kind: "drop", item: 10, reason: "r", from: [22] },
        { kind: "add", text: "N", from: [21] },
      ],
      undefined,
    ],
  ])("a superseded item points to %s", (_, operations, replacedBy) => {
    const { left } = run(...operations);
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({ kind: "superseded", reason: "r" });
    expect(left[0]?.replacedBy).toBe(replacedBy);
  });

  test("a drop that no observation asks for is a drop", () => {
    expect(run({ kind: "drop", item: 10, reason: "noise" }).left).toEqual([
      { item: items[0], kind: "dropped", reason: "noise" },
    ]);
  });

  test("a statement that was outdated at once goes to the archive under an id of its own", () => {
    const {
      items: after,
      left,
      nextItemId,
    } = run({ kind: "outdate", text: "Old", from: [21], reason: "r", by: 12 });
    expect(after).toEqual(items);
    expect(left[0]).toMatchObject({
      item: { id: 100, text: "Old", sources: [21] },
      kind: "superseded",
      replacedBy: 12,
    });
    expect(nextItemId).toBe(101);
  });

  test("statements that were passed over are named", () => {
    expect(run({ kind: "pass", from: [21], statements: [0, 2] }).passed).toEqual([
      { observationId: 21, statements: [0, 2] },
    ]);
  });

  test("every observation that is named is accounted for; to be folded outweighs a skip", () => {
    const { accounted } = run(
      { kind: "skip", from: [21, 22], reason: "empty" },
      { kind: "add", text: "N", from: [22] },
      { kind: "skip", from: [22], reason: "empty" },
    );
    expect(accounted).toEqual(
      new Map([
        [21, { kind: "skipped", reason: "empty" }],
        [22, { kind: "folded" }],
      ]),
    );
  });
});

describe("what no operation can do", () => {
  test.each<[string, Operation]>([
    ["drop a pinned item", { kind: "drop", item: 11, reason: "r", from: [22] }],
    ["drop an item that is newer", { kind: "drop", item: 12, reason: "r", from: [21] }],
    ["drop an item that is not there", { kind: "drop", item: 77, reason: "r" }],
    ["confirm an item that is not there", { kind: "confirm", item: 77, from: [21] }],
  ])("%s", (_, operation) => {
    const { items: after, left } = run(operation);
    expect(after).toEqual(items);
    expect(left).toEqual([]);
  });

  test("take the words of a pinned item: the new ones stand beside it", () => {
    expect(texts(run({ kind: "rewrite", items: [11], text: "Other", from: [22] }).items)).toEqual([
      "Port 80",
      "Pinned",
      "Newer",
      "Other",
    ]);
  });

  test.each(["manual", "imported"] as const)("touch an item that is %s", (origin) => {
    const own = itemOf(10, "2026-01-01", "Own", { origin });
    const operations: Operation[] = [
      { kind: "drop", item: 10, reason: "r" },
      { kind: "rewrite", items: [10], text: "T", from: [21] },
    ];
    expect(apply(requestOf([own], notes), operations, 100).items[0]).toEqual(own);
  });

  test("let a late row supersede: its own words go to the archive", () => {
    const { items: after, left } = run({
      kind: "rewrite",
      items: [12],
      text: "Late",
      from: [21],
      reason: "changed",
    });
    expect(after).toEqual(items);
    expect(left[0]).toMatchObject({ item: { text: "Late" }, kind: "superseded", replacedBy: 12 });
  });

  test("supersede by a date in the future what is as new as now", () => {
    const current = itemOf(10, "2026-12-31", "Now", { lastEpoch: request.now });
    const { items: after } = apply(
      requestOf([current], notes),
      [{ kind: "drop", item: 10, reason: "r", from: [22] }],
      100,
    );
    expect(after).toEqual([current]);
  });
});
