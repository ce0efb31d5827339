import { expect, test } from "vitest";
import { countTokens } from "../../scripts/bench-tokens.ts";
import { makeModelHistory } from "../../seed/model-history.ts";

const ROWS = makeModelHistory(200);

test("a row is as long as claude-mem's own are, and has one to three concepts", () => {
  const mean = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const units = mean(ROWS.map(({ title, narrative, facts }) => [title, narrative, ...facts].join("").length));
  expect(units).toBeGreaterThan(1300);
  expect(units).toBeLessThan(1500);
  expect(mean(ROWS.map(({ concepts }) => concepts.length))).toBeCloseTo(2, 0);
});

test("operations on a small project take half the input tokens of rewriting the digest of every cell", async () => {
  const all = await countTokens(ROWS, "all");
  const primary = await countTokens(ROWS, "primary");
  expect(primary.ours.inputTokens).toBeLessThan(0.5 * all.naive.inputTokens);
  expect(primary.ours.inputTokens).toBeLessThan(0.7 * primary.naive.inputTokens);
  expect(all.ours.inputTokens).toBeLessThan(0.7 * all.naive.inputTokens);
  expect(primary.ours.calls).toBe(primary.naive.calls);
});
