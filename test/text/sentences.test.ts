import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clipLine, oneLine, sentences } from "../../src/text/sentences.ts";

describe("sentences", () => {
  test.each([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["Version 1.4.5 is out. It works.", ["Version 1.4.5 is out.", "It works."]],
    ["Use e.g. Redis. Or i.e. nothing.", ["Use e.g. Redis.", "Or i.e. nothing."]],
    ['He said "stop." Then it ended.', ['He said "stop."', "Then it ended."]],
    ["- first\n- second\n\n3. third", ["first", "second", "third"]],
    ["on a\nline of its own", ["on a", "line of its own"]],
    ["第一。第二！", ["第一。", "第二！"]],
    ["ends in. lower case", ["ends in. lower case"]],
    ["Call `x()`. `y` is next.", ["Call `x()`.", "`y` is next."]],
    ["", []],
    [" \n ", []],
  ])("%j", (text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  test("lose nothing but white space and bullets", () => {
    const bare = (text: string) => text.replaceAll(/[\s\p{Cc}\u200b*•-]|\d+[.)]/gu, "");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => bare(sentences(text).join("")) === bare(text)),
    );
  });
});

describe("one line", () => {
  test.each([
    ["a\nb\tc", "a b c"],
    ["a \u0007 b", "a b"],
    ["  a  b ", "a b"],
    ["a\u00a0b\u2028c", "a b c"],
    ["already one", "already one"],
  ])("%j", (text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  test("is one line, and stays as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = oneLine(text);
        return !/[\p{Cc}\u2028\u2029]| {2}|^ | $/u.test(line) && oneLine(line) === line;
      }),
    );
  });
});

describe("clipping", () => {
  test.each([
    ["short", 10, "short"],
    ["One sentence. Another one that is long", 20, "One sentence.…"],
    ["no sentence but many words", 14, "no sentence…"],
    ["unbreakableword", 8, "unbreak…"],
    ["ab🙂🙂🙂", 6, "ab🙂…"],
  ])("%s to %i", (line, units, expected) => {
    expect(clipLine(line, units)).toBe(expected);
  });

  test("never exceeds, never splits a pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 50 }), (text, units) => {
        const clipped = clipLine(oneLine(text), units);
        return clipped.length <= units && clipped.isWellFormed();
      }),
    );
  });
});
