import { describe, expect, test } from "vitest";
import { SETTINGS } from "../../src/config.ts";
import { MOST_CELLS, OTHER, cellTypes } from "../../src/digest/cell.ts";

const VOCABULARY = SETTINGS.CONCEPTS.fallback;

describe("the cells of a row", () => {
  test.each([
    [
      "most specific first, however the tags stand",
      { type: "bugfix", concepts: ["pattern", "gotcha"] },
      ["gotcha", "pattern"],
    ],
    ["its own type is a tag", { type: "decision", concepts: ["how-it-works"] }, ["decision", "how-it-works"]],
    ["a type that is a tag as well counts once", { type: "gotcha", concepts: ["gotcha"] }, ["gotcha"]],
    ["unknown tags", { type: "discovery", concepts: ["motive"] }, [OTHER]],
    ["no tags at all", { type: "", concepts: [] }, [OTHER]],
  ])("%s", (_, row, all) => {
    expect(cellTypes(row, VOCABULARY, "all")).toEqual(all);
    expect(cellTypes(row, VOCABULARY, "primary")).toEqual(all.slice(0, 1));
  });

  test("a vocabulary of one's own has its own order", () => {
    const row = { type: "evidence", concepts: ["when", "who"] };
    expect(cellTypes(row, ["who", "when"], "all")).toEqual(["who", "when"]);
  });

  test("their number is bounded, whatever is configured", () => {
    const words = Array.from({ length: 100 }, (_, at) => `tag-${at}`);
    expect(cellTypes({ type: "", concepts: words }, words, "all")).toHaveLength(MOST_CELLS);
    expect(cellTypes({ type: "", concepts: ["tag-99"] }, words, "all")).toEqual([OTHER]);
  });
});
