import fc from "fast-check";
import { expect, test } from "vitest";
import { findBeginnings } from "../../src/merge/extractive/beginnings.ts";

const BEGINNINGS = ["port$", "run$", "instead of"];
const find = findBeginnings([BEGINNINGS, ["mov", "no longer"]]);

test.each([
  ["nothing of it", 0],
  ["", 0],
  ["the port", 1],
  ["Port 80", 1],
  ["in src/port.ts", 1],
  ["reported, a portal, running", 0],
  ["moved", 2],
  ["removed", 0],
  ["it NO LONGER does", 2],
  ["moved, instead of the port", 3],
])("%j has words of groups %i", (text, groups) => {
  expect(find(text)).toBe(groups);
});

test("two letters are found before anything, not at the end", () => {
  const to = findBeginnings([["to$"]]);
  expect(["to 5", "to-day", "set to", "token"].map(to)).toEqual([1, 1, 0, 0]);
});

test("finds all that a regular expression finds", () => {
  const pattern = /\b(?:(?:port|run)\b|instead of)/i;
  const part = fc.constantFrom(
    ...BEGINNINGS.map((one) => one.replace("$", "")),
    " ",
    "s",
    "-",
    "_",
    "É",
    "Re",
    ". ",
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join("")),
      (text) => {
        expect((find(text) & 1) === 1).toBe(pattern.test(text));
      },
    ),
  );
});
