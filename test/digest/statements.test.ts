import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ITEM_UNITS } from "../../src/digest/item.ts";
import { pieces, statements } from "../../src/digest/statements.ts";
import { noteOf } from "../support/merge-request.ts";
import { rowsArbitrary } from "../support/rows.ts";

const DAY = "2026-03-01";

describe("what a row says", () => {
  test.each([
    [
      "title and facts, not the prose around them",
      noteOf(1, DAY, "T", { facts: ["F one", "F two"], narrative: "Prose about it. More of it." }),
      ["T", "F one", "F two"],
    ],
    [
      "a sentence with a number that the facts lack",
      noteOf(1, DAY, "T", { facts: ["F"], narrative: "Prose. It is 8080 now. End." }),
      ["T", "F", "Prose. It is 8080 now."],
    ],
    [
      "all of the narrative where there are no facts",
      noteOf(1, DAY, "T", { narrative: "One. Two." }),
      ["T", "One.", "Two."],
    ],
    [
      "a sentence that refers stays with the one before",
      noteOf(1, DAY, "", { narrative: "The lock is old. It blocks." }),
      ["The lock is old. It blocks."],
    ],
    [
      "the text of very old rows",
      noteOf(1, DAY, "", { text: "Old one. Old two." }),
      ["Old one.", "Old two."],
    ],
    ["the subtitle where there is nothing else", noteOf(1, DAY, "", { subtitle: "Sub" }), ["Sub"]],
    ["nothing", noteOf(1, DAY, " \n"), []],
  ])("%s", (_, row, expected) => {
    expect(statements(row)).toEqual(expected);
  });

  test("every statement is a line that an item can hold", () => {
    fc.assert(
      fc.property(rowsArbitrary, (rows) =>
        rows
          .flatMap(statements)
          .every(
            (text) =>
              text.length <= ITEM_UNITS && text.trim() === text && !/[\n\r\t]/.test(text) && text !== "",
          ),
      ),
    );
  });

  test("megabytes of log are cut off, not folded", () => {
    expect(
      statements(noteOf(1, DAY, "T", { narrative: "Line number 7 of it.\n".repeat(500_000) })).length,
    ).toBeLessThanOrEqual(100);
  });
});

describe("a text that is too long", () => {
  test("is split between sentences", () => {
    const sentence = `${"word ".repeat(50)}end.`;
    const split = pieces(`${sentence} W${sentence} W${sentence}`);
    expect(split.length).toBeGreaterThan(1);
    expect(split.every((piece) => piece.length <= ITEM_UNITS && piece.endsWith("."))).toBe(true);
  });

  test("is cut behind a word where it is one sentence", () => {
    const [piece] = pieces("word ".repeat(500));
    expect(piece?.length).toBeLessThanOrEqual(ITEM_UNITS);
    expect(piece?.endsWith("word…")).toBe(true);
  });
});
