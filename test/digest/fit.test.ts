import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fit } from "../../src/digest/fit.ts";
import { type Item, digestUnits } from "../../src/digest/item.ts";
import { rank, ranking } from "../../src/digest/rank.ts";
import { itemOf } from "../support/merge-request.ts";
import { proseArbitrary } from "../support/rows.ts";

const itemsArbitrary = fc
  .array(
    fc.record({
      text: fc.oneof(proseArbitrary, fc.constant("x".repeat(600))),
      pinned: fc.boolean(),
      origin: fc.constantFrom<Item["origin"]>("merged", "manual", "imported"),
      confirmations: fc.nat({ max: 20 }),
    }),
    { maxLength: 30 },
  )
  .map((all) => all.map((more, at) => itemOf(at + 1, "2026-03-01", more.text, more)));

describe("fit", () => {
  test("never over the budget, nothing lost, order kept, stable", () => {
    fc.assert(
      fc.property(itemsArbitrary, fc.integer({ min: 0, max: 3000 }), (items, budgetUnits) => {
        const { kept, evicted } = fit(items, { budgetUnits });
        expect(digestUnits(kept)).toBeLessThanOrEqual(budgetUnits);
        expect([...kept, ...evicted].toSorted((a, b) => a.id - b.id)).toEqual(items);
        expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).toSorted((a, b) => a - b));
        expect(fit(kept, { budgetUnits })).toEqual({ kept, evicted: [] });
        expect(fit(items.toReversed(), { budgetUnits }).evicted).toEqual(evicted);
      }),
    );
  });

  test("a pinned item leaves only when no other is left", () => {
    fc.assert(
      fc.property(itemsArbitrary, fc.integer({ min: 0, max: 3000 }), (items, budgetUnits) => {
        const { kept, evicted } = fit(items, { budgetUnits });
        if (evicted.some(({ pinned }) => pinned)) expect(kept.every(({ pinned }) => pinned)).toBe(true);
      }),
    );
  });

  test("a giant that alone exceeds the budget leaves, pinned or not", () => {
    const giant = itemOf(1, "2026-03-01", "x".repeat(500), { pinned: true });
    expect(fit([giant], { budgetUnits: 400 })).toEqual({ kept: [], evicted: [giant] });
  });
});

describe("rank", () => {
  const fact = "`retryUpload` in src/upload.ts gives up after 3 tries";
  test.each([
    [
      "pinned before anything",
      itemOf(1, "2026-01-01", "Vague", { pinned: true }),
      itemOf(2, "2026-03-01", fact, { confirmations: 9 }),
    ],
    [
      "a person's own before a merge's",
      itemOf(1, "2026-01-01", "Vague", { origin: "manual" }),
      itemOf(2, "2026-03-01", fact),
    ],
    [
      "confirmed before said once",
      itemOf(1, "2026-03-01", fact, { confirmations: 2 }),
      itemOf(2, "2026-03-01", fact),
    ],
    ["newer before older", itemOf(1, "2026-03-01", fact), itemOf(2, "2026-02-01", fact)],
    [
      "specific before vague",
      itemOf(1, "2026-03-01", fact),
      itemOf(2, "2026-03-01", "It was good to talk about how things could be better"),
    ],
    [
      "short before long, saying the same",
      itemOf(1, "2026-03-01", fact),
      itemOf(2, "2026-03-01", `as it is and was to be for us, ${fact}`),
    ],
    [
      "an old decision before new small talk",
      itemOf(1, "2022-03-01", fact),
      itemOf(2, "2026-03-01", "Talked about many things that were nice"),
    ],
    [
      "found once before said in every session",
      itemOf(1, "2026-03-01", fact),
      itemOf(2, "2026-03-01", "Ran the tests and they all look good", { confirmations: 500 }),
    ],
  ])("%s", (_, higher, lower) => {
    expect(rank(higher)).toBeGreaterThan(rank(lower));
  });

  test("what is ahead stays ahead as time goes by", () => {
    fc.assert(
      fc.property(itemsArbitrary, fc.integer({ min: 0, max: 1e12 }), (items, later) => {
        const aged = items.map((item) => ({ ...item, lastEpoch: item.lastEpoch + later }));
        const order = (all: Item[]) =>
          all.toSorted((a, b) => rank(b) - rank(a) || a.id - b.id).map(({ id }) => id);
        const gaps = items
          .flatMap((a) => items.map((b) => Math.abs(rank(a) - rank(b))))
          .filter((gap) => gap > 0);
        fc.pre(Math.min(1, ...gaps) > 1e-6);
        expect(order(aged)).toEqual(order(items));
      }),
    );
  });

  test("words that a whole digest shares tell less of each item", () => {
    const shared = ["retries", "drops", "locks", "skips"].map((verb, at) =>
      itemOf(at + 1, "2026-03-01", `upload worker ${verb}`),
    );
    const rare = itemOf(9, "2026-03-01", "mailer relay halts");
    const rankOf = ranking([...shared, rare]);
    expect(rankOf(rare)).toBeGreaterThan(rankOf(shared[0]!));
  });
});
