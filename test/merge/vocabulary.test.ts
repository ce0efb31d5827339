import { expect, test } from "vitest";
import { Vocabulary } from "../../src/merge/extractive/vocabulary.ts";

test("words are numbered as they come, each once a reading", () => {
  const vocabulary = new Vocabulary<string>();
  expect(vocabulary.numbersOf([7, -7, 7, 0])).toEqual([0, 1, 2]);
  expect(vocabulary.numbersOf([0, 9, 7])).toEqual([2, 3, 0]);
});

test("lines come back in the order in which they were entered", () => {
  const vocabulary = new Vocabulary<string>();
  const [number = -1] = vocabulary.numbersOf([40]);
  for (const line of ["a", "b", "b", "a"]) vocabulary.enter(number, line);
  expect(vocabulary.linesWith(40)).toEqual(["a", "b", "a"]);
  expect(vocabulary.linesWith(41)).toEqual([]);
  expect(vocabulary.held[number]).toBe(3);
  expect(vocabulary.findLine(number, (line) => line > "a")).toBe("b");
  expect(vocabulary.findLine(number, (line) => line > "b")).toBeUndefined();
});

test("more words than it was made for are all kept", () => {
  const vocabulary = new Vocabulary<number>();
  const words = Array.from({ length: 10_000 }, (_, at) => Math.imul(at, 0x9e3779b1) & ~3);
  for (const [at, number] of vocabulary.numbersOf(words).entries()) vocabulary.enter(number, at);
  expect(vocabulary.size).toBe(words.length);
  expect(words.map((word) => vocabulary.linesWith(word))).toEqual(words.map((_, at) => [at]));
});
