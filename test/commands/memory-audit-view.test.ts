import pc from "picocolors";
import { expect, test } from "vitest";
import { MEMORY_SHAPES, makeMemoryDirectory } from "../../seed/memory-directory.ts";
import { type AuditView, auditLines } from "../../src/commands/memory-audit-view.ts";
import { auditMemory } from "../../src/memory/audit.ts";
import { memoryOf } from "../support/memory-directories.ts";

const VIEW: AuditView = {
  directory: "~/.claude/projects/-home-me-work-project/memory",
  why: "Claude Code's own place for ~/work/project",
  notes: [],
  agents: [],
  archivable: null,
  all: false,
};
const today = new Date("2026-11-29T12:00:00Z");

function summary(files: ReadonlyMap<string, string>, view: Partial<AuditView> = {}): string[] {
  const context = { instructions: [], project: null, siblings: ["/old/store"], env: {} };
  const report = auditMemory(memoryOf(Object.fromEntries(files)), context);
  return auditLines(report, { ...VIEW, ...view }, pc.createColors(false));
}

/** Every kind of finding at once, over both caps. */
function worst(): Map<string, string> {
  const files = new Map(makeMemoryDirectory({ shape: "sections", topics: 300, seed: 5, today }));
  const index = `---\n# P\n\n---\n${files.get("MEMORY.md") ?? ""}`;
  const more = [
    "- [x](gone.md)",
    "- [y](My_File.md)",
    "- [[later]]",
    `- ${"long ".repeat(60)}`,
    "- see lone-file.md",
    "## After",
    "- the same is said twice here",
    "- the same is said twice here",
  ];
  files.set("MEMORY.md", `${index}\n${more.join("\n")}\n`);
  files.set("my-file.md", "");
  files.set("lone-file.md", "x".repeat(30_000));
  return files;
}

test.each([...MEMORY_SHAPES, "worst"] as const)(
  "the summary of %s fits on a screen and says what to do",
  (shape) => {
    const files = shape === "worst" ? worst() : makeMemoryDirectory({ shape, topics: 150, seed: 5, today });
    const lines = summary(files, { notes: ["a note"], agents: [{ agent: "reviewer", usage: 0.9 }] });
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(130);
    expect(lines.join("\n")).toMatch(/^Do: {6}|^Nothing/m);
  },
);

test("with --all, every dropped line is named", () => {
  const lines = summary(worst(), { all: true });
  const dropped = summary(worst())
    .join("\n")
    .match(/not loaded: (\d+) lines/)?.[1];
  expect(lines.filter((line) => /^ {9} *\d+ {2}/.test(line))).toHaveLength(Number(dropped));
});

test.each([
  ["lines", `${"- fact\n".repeat(190)}`, /remove lines \(190, aim for 140\)/],
  [
    "size",
    `${`- ${"x".repeat(300)}\n`.repeat(75)}`,
    /shorten lines \(22,724 units, aim for 17,500\): 75 entries are over 200 units/,
  ],
])("the advice is for the cap that binds: %s", (_, index, advice) => {
  expect(summary(new Map([["MEMORY.md", index]])).join("\n")).toMatch(advice);
});
