import { describe, expect, test } from "vitest";
import { overlap, says } from "../../src/text/similar.ts";
import { WordKind, kindOf, readText } from "../../src/text/words.ts";

describe("tokens that must survive word for word", () => {
  test.each([
    ["listens on 8080, not on 9090.", ["8080", "9090"]],
    ["Upgraded to v2.1.4-rc.1 (was 2.1.3).", ["v2.1.4-rc.1", "2.1.3"]],
    ["since 2026-03-01 it takes 30s or 1,000 rows", ["2026-03-01", "30s", "1,000"]],
    [
      "`close` is called by userName, max_retries and API_KEY",
      ["close", "userName", "max_retries", "API_KEY"],
    ],
    ["see src/app.ts, ./run.sh, ~/.claude and .env", ["src/app.ts", "./run.sh", "~/.claude", ".env"]],
    ["https://example.org/a?b=1#c works.", ["https://example.org/a?b=1#c"]],
    ["run it with --no-cache -v", ["--no-cache", "-v"]],
    ["Array.from and std::vector, then flush()", ["Array.from", "std::vector", "flush"]],
    ["better-sqlite3 but near-duplicate", ["better-sqlite3"]],
    ["C#, R&D and 50% of #123", ["C#", "R&D", "50%", "#123"]],
    ["e.g. the office, i.e. Two-Words", []],
    ["Melanie's cache", []],
    ["ポートは8080です", ["8080"]],
    ["`git push --force` loses work", ["git", "push", "--force"]],
    ["an `unclosed span", []],
    ["", []],
  ])("%s", (text, tokens) => {
    expect(readText(text).tokens).toEqual(tokens);
  });
});

describe("certainty", () => {
  test.each([
    ["It works", 0, 0],
    ["It does not work", 1, 0],
    ["It doesn't work", 1, 0],
    ["It doesn’t work", 1, 0],
    ["It cannot work without a lock", 2, 0],
    ["no longer used, never was", 2, 0],
    ["It probably works", 0, 1],
    ["It might work, apparently", 0, 2],
    ["not verified", 1, 0],
    ["läuft nicht", 1, 0],
    ["ça ne marche pas", 1, 0],
    ["не работает", 1, 0],
    ["不支持", 1, 0],
    ["動かない", 1, 0],
    ["可能是缓存", 0, 1],
    ["작동하지 않음", 1, 0],
  ])("%s", (text, negations, hedges) => {
    const reading = readText(text);
    expect([reading.negations.length, reading.hedges]).toEqual([negations, hedges]);
  });

  test("a negation belongs to the word behind it", () => {
    expect(readText("not cached but locked").negations).not.toEqual(
      readText("cached but not locked").negations,
    );
  });
});

describe("words", () => {
  test.each([
    ["retry", "retries"],
    ["retry", "retried"],
    ["running", "run"],
    ["caches", "cache"],
    ["Fixed", "fixes"],
    ["the API's port", "API port"],
    ["Über", "über"],
  ])("%s and %s are one", (a, b) => {
    expect(readText(a).words).toEqual(readText(b).words);
  });

  test("identifiers are never one in another case", () => {
    expect(readText("userName").words).not.toEqual(readText("username").words);
  });

  test("a limit and an identifier are marked", () => {
    expect(readText("only cache API_KEY").words.map(kindOf)).toEqual([
      WordKind.limit,
      WordKind.plain,
      WordKind.protected,
    ]);
  });
});

describe("whether a text says another", () => {
  test.each([
    ["The cache is shared", "cache shared", true],
    ["The cache of the worker is shared", "The cache is shared", true],
    ["The cache is not shared", "The cache is shared", false],
    ["The cache is probably shared", "The cache is shared", false],
    ["The cache is shared only there", "The cache is shared", false],
    ["The cache is shared on 8080", "The cache is shared", false],
    ["Redis replaced Kafka here", "Kafka replaced Redis here", false],
    ["cache", "", false],
  ])("%s / %s: %s", (whole, part, expected) => {
    expect(says(readText(whole), readText(part), 0.6)).toBe(expected);
  });

  test("not where most of it is something else", () => {
    const whole = readText("The cache is shared between many workers that start late");
    expect(says(whole, readText("cache shared"), 0.7)).toBe(false);
  });

  test("overlap knows no order", () => {
    expect(overlap(readText("b a").words, readText("Alpha beta").words)).toBe(0);
    expect(overlap(readText("beta alpha").words, readText("alpha beta").words)).toBe(1);
  });
});
