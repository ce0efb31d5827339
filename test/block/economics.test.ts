import { describe, expect, test } from "vitest";
import { type EconomicsOf, economics } from "../../src/block/economics.ts";
import { estimateTokens } from "../../src/text/tokens.ts";

const text = "The queue is Postgres SKIP LOCKED since Redis lost jobs at restarts";
const of = (block: string, ...projects: EconomicsOf["projects"]) =>
  economics({ projects, digest: text, block, budget: 9500 });

test("the figures of a deep history", () => {
  const deep = { observations: 1640, rawTokens: 587_602, recent50Tokens: 18_000, recent50Rows: 50 };
  expect(of("the block", deep)).toEqual({
    observations: 1640,
    rawTokens: 587_602,
    digestTokens: estimateTokens(text),
    blockTokens: estimateTokens("the block"),
    ratio: Math.round((587_602 / estimateTokens(text)) * 10) / 10,
    recent50: { tokens: 18_000, observations: 50, share: 0.03 },
    underFloor: false,
    estimator: expect.stringMatching(/^tokenx \d/),
  });
});

test("a worktree and its parent are taken together; 50 rows stay 50", () => {
  const parent = { observations: 100, rawTokens: 30_000, recent50Tokens: 15_000, recent50Rows: 50 };
  const own = { observations: 25, rawTokens: 2500, recent50Tokens: 2500, recent50Rows: 25 };
  expect(of("", parent, own)).toMatchObject({
    observations: 125,
    rawTokens: 32_500,
    recent50: { tokens: Math.round((17_500 * 50) / 75), observations: 50, share: 0.4 },
  });
});

describe("the floor", () => {
  test.each([
    ["a history that would fit the block is under it", 300, true],
    ["one that would not is above", 30_000, false],
  ])("%s", (_, rawTokens, underFloor) => {
    const small = { observations: 9, rawTokens, recent50Tokens: rawTokens, recent50Rows: 9 };
    expect(of("", small).underFloor).toBe(underFloor);
  });

  test("nothing built has no ratio and is not under it", () => {
    expect(economics({ projects: [], digest: "", block: "", budget: 9500 })).toMatchObject({
      observations: 0,
      ratio: 0,
      underFloor: false,
      recent50: { tokens: 0, observations: 0, share: 0 },
    });
  });
});
