import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { decode } from "../../src/memory/directory.ts";
import { loadIndex } from "../../src/memory/loaded.ts";

const number = z.number().nullable();
const Cases = z.array(
  z.object({
    name: z.string(),
    inputLatin1: z.string(),
    loadedUnits: number,
    loadedLines: number,
    cut: z.object({ firstLineDropped: number, droppedLines: number, countedLines: number }).nullable(),
  }),
);
const FIXTURE = join(import.meta.dirname, "..", "fixtures", "loader-cases.json");
const CASES = Cases.parse(JSON.parse(readFileSync(FIXTURE, "utf8")));

/** Where characters that end no line were turned into ends of lines after the count. */
const COUNTED_LINES: Record<string, number> = { cr_only: 1 };

describe("what Claude Code was measured to load", () => {
  test.each(CASES.map((one) => [one.name, one] as const))("%s", (name, one) => {
    const loaded = loadIndex(decode(Buffer.from(one.inputLatin1, "latin1")));
    expect(loaded.text.length).toBe(one.loadedUnits ?? 0);
    expect(loaded.loadedLines).toBe(COUNTED_LINES[name] ?? one.loadedLines ?? 0);
    const cut = one.cut;
    expect(loaded.firstLineCut).toBe(cut !== null && cut.firstLineDropped === null);
    if (cut === null) expect(loaded.dropped).toEqual([]);
    if (cut?.firstLineDropped == null) return;
    expect(loaded.counted.length).toBe(cut.countedLines);
    expect(loaded.dropped.length).toBe(cut.droppedLines);
    expect(loaded.loadedLines + 1).toBe(cut.firstLineDropped);
  });
});

const entries = (count: number) => Array.from({ length: count }, (_, at) => `- entry ${at + 1}`).join("\n");

describe("lines are named as the file numbers them", () => {
  test.each([
    ["plain", `${entries(201)}\n`, 201],
    ["behind front matter", `---\nname: x\n---\n${entries(201)}\n`, 204],
    ["behind blank lines", `\n\n\n${entries(201)}\n`, 204],
    ["with a comment before", `<!-- a\nb -->\n\n${entries(201)}\n`, 204],
    ["with a comment between", `- first\n<!-- note -->\n${entries(200)}\n`, 202],
    [
      "with CRLF and a comment",
      `- first\r\n<!-- note -->\r\n${entries(200).replaceAll("\n", "\r\n")}\r\n`,
      202,
    ],
  ])("%s", (_, text, line) => {
    expect(loadIndex(text).dropped).toEqual([{ text: expect.stringMatching(/^- entry 20[01]\r?$/), line }]);
  });
});

describe("front matter, as Claude Code cuts it off", () => {
  test.each([
    ["closed by a line", "---\nname: x\n---\n# P\n", "# P"],
    ["closed within a line", "---\nname: a --- b\n# P\n", "b\n# P"],
    ["closed by an indented line", "---\nname: x\n ---\n# P\n", "# P"],
    ["swallowing up to a thematic break", "---\n# P\n- a\n\n---\n\n- b\n", "- b"],
    ["not at the start", "\n---\nname: x\n---\n# P\n", "---\nname: x\n---\n# P"],
    ["never closed", "---\nname: x\n# P\n", "---\nname: x\n# P"],
  ])("%s", (_, text, loaded) => {
    expect(loadIndex(text).text).toBe(loaded);
  });
});

describe("comments", () => {
  test.each([
    ["block, with the blank lines behind it", "a\n<!-- c -->\n\n\nb\n", "a\nb", 1],
    ["with text behind it", "# P\n<!-- a --> mid <!-- b -->\nx\n", "# P\n mid \nx", 2],
    ["in a list item", "- a\n  <!-- c -->\n- b\n", "- a\n  <!-- c -->\n- b", 0],
    ["in a fence", "```\n<!-- c -->\n```\n", "```\n<!-- c -->\n```", 0],
    ["in a line", "a <!-- c --> b\n", "a <!-- c --> b", 0],
    ["never closed", "a\n\n<!-- c\n", "a\n\n<!-- c", 0],
  ])("%s", (_, text, loaded, comments) => {
    const index = loadIndex(text);
    expect(index.text).toBe(loaded);
    expect(index.comments).toHaveLength(comments);
  });

  test("in the first line behind a BOM, which makes it a sentence", () => {
    const text = "<!-- a -->\nb\n<!-- c -->\nd\n";
    expect(loadIndex(text).text).toBe("b\nd");
    expect(loadIndex(text, true).text).toBe("<!-- a -->\nb\nd");
    expect(loadIndex(`---\nx: y\n---\n${text}`, true).text).toBe("b\nd");
  });

  test("a CR ends a line only where a comment was taken off", () => {
    const cr = entries(201).replaceAll("\n", "\r");
    expect(loadIndex(cr).counted).toHaveLength(1);
    expect(loadIndex(`${cr}\r<!-- c -->\r`).counted).toHaveLength(201);
  });
});
