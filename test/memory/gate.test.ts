import { describe, expect, test } from "vitest";
import { absorbingEntry, planMarks } from "../../src/memory/absorb.ts";
import type { Change } from "../../src/memory/change.ts";
import { INDEX, decode } from "../../src/memory/directory.ts";
import { readDocument } from "../../src/memory/document.ts";
import { type Decision, checkChange, compareReach } from "../../src/memory/gate.ts";
import { outlineOf } from "../../src/memory/outline.ts";
import { memoryOf } from "../support/memory-directories.ts";

const TOPICS = { "a.md": "", "b.md": "", "sub/c.md": "" };
const compare = (before: string[], index: string, decisions: Decision[] = [], topics: object = TOPICS) =>
  compareReach(before, memoryOf({ ...topics, "MEMORY.md": index }), decisions);

describe("a rewrite", () => {
  test.each<[string, string[], string, Decision[], { lost: string[]; gained: string[]; decided?: string[] }]>(
    [
      ["that keeps every link", ["a.md"], "[A](a.md)", [], { lost: [], gained: [] }],
      ["that loses one", ["a.md", "b.md"], "[A](a.md)", [], { lost: ["b.md"], gained: [] }],
      ["that comments one out", ["a.md"], "<!-- [A](a.md) -->", [], { lost: ["a.md"], gained: [] }],
      ["that only names one", ["a.md"], "see a.md", [], { lost: ["a.md"], gained: [] }],
      ["that links a new one", ["a.md"], "[A](a.md) [B](b.md)", [], { lost: [], gained: ["b.md"] }],
      [
        "with a decision",
        ["a.md", "b.md"],
        "[A](a.md)",
        [{ name: "b.md", kind: "deleted" }],
        { lost: [], gained: [], decided: ["b.md"] },
      ],
      [
        "with a decision by file name alone",
        ["sub/c.md"],
        "x",
        [{ name: "c.md", kind: "deleted" }],
        { lost: [], gained: [], decided: ["sub/c.md"] },
      ],
      [
        "with the mark of an absorbing entry",
        ["b.md"],
        "- [A](a.md) — text — absorbed b.md",
        [],
        { lost: [], gained: ["a.md"], decided: ["b.md"] },
      ],
    ],
  )("%s", (_, before, index, decisions, expected) => {
    const { lost, gained, decided } = compare(before, `${index}\n`, decisions);
    expect({ lost, gained, decided: decided.map(({ path }) => path) }).toEqual({ decided: [], ...expected });
  });

  test("a file that was removed with its link needs a decision as well", () => {
    expect(compare(["a.md"], "x\n", [], {}).lost).toEqual(["a.md"]);
  });
});

describe("our own changes", () => {
  const memory = memoryOf({ "MEMORY.md": "- [A](a.md)\n- text\n", "a.md": "" });
  const change = (index: string): Change => ({
    command: "x",
    summary: "x",
    files: [
      { path: INDEX, before: memory.files.get(INDEX)?.bytes ?? null, after: new TextEncoder().encode(index) },
    ],
    renewed: [],
  });
  test("that strand a file are refused", () => {
    expect(() => checkChange(memory, change("- text\n- A\n"))).toThrow(
      expect.objectContaining({ code: "would-strand", exit: 4 }),
    );
  });
  test("that lose a line are refused", () => {
    expect(() => checkChange(memory, change("- [A](a.md)\n"))).toThrow(
      expect.objectContaining({ code: "would-lose-lines", exit: 4 }),
    );
  });
  test("that only move lines pass", () => {
    expect(() => checkChange(memory, change("- text\n\n- [A](a.md)\n"))).not.toThrow();
  });
});

describe("an absorbing entry", () => {
  const memory = memoryOf({
    "MEMORY.md": "# P\r\n- [Build notes](build.md) — text\r\n- other\r\n",
    "build.md": "",
  });
  const index = memory.files.get(INDEX);
  const entries = index === undefined ? [] : outlineOf(readDocument(index)).entries;
  test.each(["Build notes", "build notes", "build.md", "build"])("is found as %j", (entry) => {
    expect(absorbingEntry(entries, { name: "ci.md", kind: "absorbed", entry })?.from).toBe(1);
  });
  test("is not found where there is none", () => {
    expect(absorbingEntry(entries, { name: "ci.md", kind: "absorbed", entry: "Deploy" })).toBeUndefined();
  });
  test("is marked once, its line end kept", () => {
    const decision = { name: "ci.md", kind: "absorbed", entry: "build.md" } as const;
    const [file] = planMarks(memory, [decision])?.files ?? [];
    const text = decode(file?.after ?? new Uint8Array());
    expect(text).toBe("# P\r\n- [Build notes](build.md) — text — absorbed ci.md\r\n- other\r\n");
    expect(planMarks(memoryOf({ "MEMORY.md": text }), [decision])).toBeNull();
  });
});
