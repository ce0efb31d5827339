import fc from "fast-check";
import { expect, test } from "vitest";
import { appendLog, parseIndex, parseRow, renderIndex } from "../../src/knowledge/catalog.ts";

const text = fc
  .string({ unit: fc.constantFrom("a", "B", "|", "\\", "[", "]", " ", "é", "漢", "`"), maxLength: 20 })
  .map((words) => words.replaceAll("\\", "").replaceAll(/\s+/g, " ").trim());
const row = fc.record({
  path: fc.constantFrom("concepts/a", "concepts/b-c", "qa/d", "connections/e"),
  summary: text.map((words) => words.replaceAll(/[[\]]/g, "").replaceAll(/\s+/g, " ").trim()),
  compiledFrom: fc.constant("daily/2026-04-01.md"),
  updated: fc.constantFrom("2026-04-01", "2025-12-31"),
});

test("an index that was written is read as it was", () => {
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ({ path }) => path }), (rows) => {
      const index = parseIndex(renderIndex({ rows, before: "Above.", after: "Below." }));
      expect(index.before).toBe("Above.");
      expect(index.after).toBe("Below.");
      expect(index.rows.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
        rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      );
      expect(renderIndex(index)).toBe(renderIndex({ rows, before: "Above.", after: "Below." }));
    }),
  );
});

test.each([
  [
    "| [[concepts/a]] | a \\| b | x | 2026 |",
    { path: "concepts/a", summary: "a | b", compiledFrom: "x", updated: "2026" },
  ],
  ["|[[concepts/a\\|words]]|s|x|y|", { path: "concepts/a", summary: "s" }],
  ["| [[concepts/a|words]] | s | x | y |", { path: "concepts/a", summary: "s" }],
  ["| **[[knowledge/concepts/a.md#part]]** | s |", { path: "concepts/a", summary: "s", updated: "" }],
  ["| Article | Summary |", null],
  ["|---|---|", null],
])("%s", (line, expected) => {
  if (expected === null) expect(parseRow(line)).toBeNull();
  else expect(parseRow(line)).toMatchObject(expected);
});

test("an index in CRLF, without a table, or empty is read", () => {
  expect(
    parseIndex("# Knowledge Base Index\r\n\r\n| a | b |\r\n|---|---|\r\n| [[concepts/a]] | s | x | y |\r\n")
      .rows,
  ).toHaveLength(1);
  expect(parseIndex("my notes")).toEqual({ rows: [], before: "my notes", after: "" });
  expect(parseIndex("")).toEqual({ rows: [], before: "", after: "" });
});

test("a log only grows", () => {
  const entry = {
    at: new Date(0),
    operation: "compile" as const,
    subject: "daily/x.md\n## [fake]",
    bullets: [
      ["source", "[[daily/x.md]]"],
      ["created", ""],
    ] as const,
  };
  const one = appendLog("", entry);
  expect(one).toBe(
    "# Knowledge Log\n\n## [1970-01-01T00:00:00.000Z] compile | daily/x.md ## [fake]\n- source: [[daily/x.md]]\n",
  );
  expect(appendLog(one, entry).startsWith(one)).toBe(true);
});
