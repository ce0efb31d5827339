import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ArchiveRules } from "../../src/memory/age.ts";
import { type ArchivePlan, planArchive } from "../../src/memory/archive.ts";
import { archiveIndexLines } from "../../src/memory/archive-index.ts";
import { type MemoryFiles, decode, withFiles } from "../../src/memory/directory.ts";
import { reachOf } from "../../src/memory/reach.ts";
import { type Contents, memoryOf } from "../support/memory-directories.ts";

const RULES: ArchiveRules = {
  now: new Date("2026-07-06T10:00:00"),
  maxLines: 0,
  triggerUsage: 0.8,
  thresholdDays: 180,
};
const OLD = "2025-06-01";
const YOUNG = "2026-06-01";

function archived(
  contents: Contents,
  rules: Partial<ArchiveRules> = {},
): Extract<ArchivePlan, { kind: "archive" }> {
  const plan = planArchive(memoryOf(contents), { ...RULES, ...rules });
  if (plan.kind !== "archive") throw new Error(`nothing: ${plan.reason}`);
  return plan;
}

function after(contents: Contents, plan: Extract<ArchivePlan, { kind: "archive" }>): MemoryFiles {
  return withFiles(
    memoryOf(contents),
    new Map(plan.change.files.map(({ path, after: bytes }) => [path, bytes])),
  );
}

function texts(contents: Contents, rules: Partial<ArchiveRules> = {}): { index: string; archive: string } {
  const files = after(contents, archived(contents, rules)).files;
  const text = (path: string) => decode(files.get(path)?.bytes ?? new Uint8Array());
  return { index: text("MEMORY.md"), archive: text("archive.md") };
}

describe("where an entry's date is found", () => {
  const filler = `- a much longer entry that is old as well, so that it pays to archive both of them (${OLD})`;
  test.each<[string, string, string, Contents]>([
    ["at the end, as the seed wants it", `- [T](t.md) — text (${OLD})`, "end", {}],
    ["at the end, bare", `- [T](t.md) — text ${OLD}`, "end", {}],
    ["at the end of a table's row", `| [T](t.md) | text | ${OLD} |`, "end", {}],
    ["in the title", `- [Fixed the build (${OLD})](t.md): text`, "title", {}],
    ["in the text", `- [T](t.md) — since ${OLD} all is well`, "text", {}],
    ["in the file's name", `- [T](session_${OLD}_x.md) — text`, "file name", {}],
    ["in the file's name, without dashes", "- [T](notes-20250601.md) — text", "file name", {}],
    [
      "in the topic's front matter",
      "- [T](t.md) — text",
      "front matter",
      { "t.md": `---\ndate: ${OLD}\n---\n` },
    ],
    [
      "in the topic's modified",
      "- [T](t.md) — text",
      "front matter",
      { "t.md": `---\nmetadata:\n  modified: ${OLD}T10:00:00Z\n---\n` },
    ],
    ["in an entry without a link", `- text (${OLD})`, "end", {}],
  ])("%s", (_, entry, source, files) => {
    const table = entry.startsWith("|") ? "| a | b | c |\n|---|---|---|\n" : "";
    const plan = archived({ "MEMORY.md": `${filler}\n\n${table}${entry}\n`, ...files });
    expect(plan.moved.map(({ date, dateSource }) => [date, dateSource])).toContainEqual([OLD, source]);
  });

  test.each<[string, string, Contents]>([
    ["in code", `- [T](t.md) — \`log-${OLD}\``, {}],
    ["in a link's target alone", `- [T](https://x.example/${OLD}/) — text`, {}],
    ["no day of the calendar", "- [T](t.md) — text (2025-02-30)", {}],
    ["part of a longer number", "- [T](t.md) — build 12025-06-01-7", {}],
    ["nowhere", "- [T](t.md) — text", {}],
  ])("not %s", (_, entry, files) => {
    const plan = archived({ "MEMORY.md": `${filler}\n${entry}\n`, ...files });
    expect(plan.kept).toEqual([{ title: "T", line: 2, reason: "undated" }]);
  });

  test("the file's mtime counts only when asked for", () => {
    const contents = { "MEMORY.md": `${filler}\n- [T](t.md) — text\n`, "t.md": "# T\n" };
    expect(archived(contents).moved).toHaveLength(1);
    const asked = archived(contents, {
      mtimeOf: (path) => (path === "t.md" ? Date.parse("2025-01-02T12:00:00") : undefined),
    });
    expect(asked.moved.map(({ date, dateSource }) => [date, dateSource])).toContainEqual([
      "2025-01-02",
      "mtime",
    ]);
  });
});

describe("what stays although it is old", () => {
  const filler = `- a much longer entry that is old as well, so that it pays to archive at least one (${OLD})`;
  test.each<[string, string, Contents]>([
    [
      "recently modified",
      `- [T](t.md) — text (${OLD})`,
      { "t.md": `---\nmodified: ${YOUNG}T00:00:00Z\n---\n` },
    ],
    [
      "linked by a younger entry",
      `- [T](t.md) — text (${OLD})\n- [Other](o.md), see [T](t.md) (${YOUNG})`,
      { "t.md": "", "o.md": "" },
    ],
    ["shares link definitions", `- text[^1] (${OLD})\n\n[^1]: a note`, {}],
  ])("%s", (reason, entry, files) => {
    const plan = archived({ "MEMORY.md": `${filler}\n${entry}\n`, ...files });
    expect(plan.kept).toContainEqual(expect.objectContaining({ line: 2, reason }));
  });

  test("an entry whose nested line is younger", () => {
    const plan = archived({ "MEMORY.md": `${filler}\n- text (${OLD})\n  - still so on ${YOUNG}\n` });
    expect(plan.kept).toEqual([{ title: "text", line: 2, reason: "young" }]);
  });

  test("exactly as old as the threshold", () => {
    const day = (date: string) =>
      `- [Entry of ${date}](x.md) — which is long enough to be worth a reference (${date})`;
    // 2026-01-07 is 180 days before 2026-07-06, and the seed asks for more than that
    const plan = archived({ "MEMORY.md": `${day("2026-01-07")}\n${day("2026-01-06")}\n` });
    expect(plan.moved.map(({ date }) => date)).toEqual(["2026-01-06"]);
  });
});

describe("when it acts", () => {
  const line = (at: number) => `- [Entry ${at}](e${at}.md) — says a thing that was true once (${OLD})`;
  const index = (lines: number) => `${Array.from({ length: lines }, (_, at) => line(at)).join("\n\n")}\n`;
  test.each([
    ["50 active lines", 50, "nothing"],
    ["51 active lines", 51, "archive"],
  ])("%s", (_, lines, kind) => {
    expect(planArchive(memoryOf({ "MEMORY.md": index(lines) }), { ...RULES, maxLines: 50 }).kind).toBe(kind);
  });

  test("few lines, but at 0.80 of the size", () => {
    const long = `- ${"x".repeat(20_000)} (${OLD})\n- b\n`;
    expect(planArchive(memoryOf({ "MEMORY.md": long }), { ...RULES, maxLines: 50 }).kind).toBe("archive");
  });

  test("not where a full index would be fuller after it", () => {
    const full = `${"- b\n".repeat(198)}- [A](a.md) (${OLD})\n`;
    expect(planArchive(memoryOf({ "MEMORY.md": full }), RULES)).toMatchObject({
      kind: "nothing",
      reason: "would not shrink the index",
    });
  });
});

describe("what is written", () => {
  test("entries word for word, the newest first; titles in one section before the last", () => {
    const { index, archive } = texts({
      "MEMORY.md": [
        "# Project Memory",
        "",
        "- [One](one.md) — the first thing that was ever learned here (2025-01-02)",
        "- [Two](two.md) — kept",
        "- [Three](three.md) — the third, with all that belongs to it (2025-03-04)",
        "  - nested",
        "",
        "## Topic Files",
        "- [Four](four.md) — kept too",
        "",
      ].join("\n"),
    });
    expect(index).toBe(
      [
        "# Project Memory",
        "",
        "- [Two](two.md) — kept",
        "",
        "## Archive Index",
        "- [Archive](archive.md) — Three · One",
        "",
        "## Topic Files",
        "- [Four](four.md) — kept too",
        "",
      ].join("\n"),
    );
    expect(archive).toBe(
      [
        "# Memory Archive",
        "",
        "## 2026-07-06 Archive",
        "",
        "- [Three](three.md) — the third, with all that belongs to it (2025-03-04)",
        "  - nested",
        "- [One](one.md) — the first thing that was ever learned here (2025-01-02)",
        "",
      ].join("\n"),
    );
  });

  test("the seed's references and headings become one section; what is not a reference stays", () => {
    const { index } = texts({
      "MEMORY.md": [
        "- [New](new.md) — an entry that has now grown old as well (2025-06-01)",
        "",
        "## Archive Index",
        "- [Archive] Old — the old thing…",
        "",
        "## Archive Index",
        "- [Archive] Older — the older thing…",
        "- my own note",
        "",
      ].join("\n"),
      "archive.md":
        "# Memory Archive\n\n## 2026-01-01 Archive\n\n- [Old](old.md) — the old thing (2025-02-01)\n- [Older](older.md) — the older thing (2025-01-01)\n",
    });
    expect(index).toBe("## Archive Index\n- [Archive](archive.md) — New · Old · Older\n\n- my own note\n");
  });

  test("a second run on the same day puts entries in their order into the same section", () => {
    const { archive } = texts({
      "MEMORY.md": "- [Middle](m.md) — an entry of the middle, long enough to be moved (2025-02-01)\n",
      "archive.md":
        "# Memory Archive\n\n## 2026-07-06 Archive\n\n- [Late](l.md) — late (2025-03-01)\n- [Early](e.md) — early (2025-01-01)\n",
    });
    expect(
      archive
        .split("\n")
        .filter((line) => line.startsWith("- "))
        .map((line) => line.slice(3, 6)),
    ).toEqual(["Lat", "Mid", "Ear"]);
  });

  test("rows of a table take the table's head along", () => {
    const { index, archive } = texts({
      "MEMORY.md": `| Topic | Says |\n|---|---|\n| [A](a.md) | a thing that was true a long time ago ${OLD} |\n| [B](b.md) | now |\n`,
      "a.md": "",
      "b.md": "",
    });
    expect(archive).toContain(
      `| Topic | Says |\n|---|---|\n| [A](a.md) | a thing that was true a long time ago ${OLD} |\n`,
    );
    expect(index).toContain("| Topic | Says |\n|---|---|\n| [B](b.md) | now |\n");
  });

  test("an entry's link definition goes along, so that its file can still be reached", () => {
    const contents = {
      "MEMORY.md": `- [A thing][a] — a thing that was true for a long time, but no more (${OLD})\n\n[a]: a.md\n`,
      "a.md": "",
    };
    expect([...reachOf(after(contents, archived(contents))).reached].toSorted()).toEqual([
      "a.md",
      "archive.md",
    ]);
  });

  test("an index that a line of dashes would come to lead is not swallowed", () => {
    const { index } = texts({
      "MEMORY.md": `- [A](a.md) — a thing that was true for a very long time, but is no more (${OLD})\n---\n\n# Now\n\n---\n\n- b\n`,
    });
    expect(index.startsWith("\n---\n")).toBe(true);
  });

  test("the report says why the usage stays over the target", () => {
    const lines = Array.from({ length: 190 }, (_, at) => `- undated entry ${at}`);
    const plan = archived({
      "MEMORY.md": [
        ...lines,
        ...Array.from({ length: 8 }, (_, at) => `- an old entry, number ${at} (${OLD})`),
      ].join("\n"),
    });
    expect(plan.usage.after).toBeGreaterThan(0.7);
    expect(plan.overTarget).toBe("of the entries that stay, 190 have no date");
  });
});

describe("the archive's section in the index", () => {
  const titles = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      title: `An archived title, number ${at}`,
      date: `2024-${String((at % 12) + 1).padStart(2, "0")}-01`,
    }));

  test("holds every title, many to a line", () => {
    const lines = archiveIndexLines(titles(40), "archive.md");
    for (const { title } of titles(40)) expect(lines.join("\n")).toContain(title);
    expect(lines.length).toBeLessThanOrEqual(5);
  });

  test("past a tenth of a cap, the oldest titles become a count", () => {
    const lines = archiveIndexLines(titles(400), "archive.md");
    expect(lines.join("\n").length).toBeLessThanOrEqual(2500);
    expect(lines.at(-1)).toMatch(/^- \[Archive\]\(archive\.md\) — \d+ entries, 2024-01 to 2024-\d\d$/);
  });
});

describe("beside the seed's own procedure", () => {
  /** What it archives: lines of its one form, with a date at the end, more than so many days old. */
  const seedArchives = (index: string): string[] =>
    index.split("\n").filter((line) => {
      const date = /^- \[.+?\]\(.+?\) — .+? ?\((\d{4}-\d{2}-\d{2})\)$/.exec(line)?.[1];
      return date !== undefined && Date.UTC(2026, 6, 6) - Date.parse(date) > 180 * 86_400_000;
    });
  /** How its index comes out: a reference a line under a new heading. */
  const seedIndex = (index: string, gone: readonly string[]): string => {
    const kept = index.split("\n").filter((line) => !gone.includes(line));
    const references = gone.map((line) => {
      const [, title = "", text = ""] = /^- \[(.+?)\]\(.+?\) — (.+?) ?\(/.exec(line) ?? [];
      return `- [Archive] ${title} — ${text.slice(0, 50)}...`;
    });
    return `${kept.join("\n")}\n\n## Archive Index\n${references.join("\n")}\n`;
  };
  const entry = fc.record({
    title: fc.stringMatching(/^[A-Z][a-z]{2,12} [a-z]{2,12}$/),
    text: fc.stringMatching(/^[a-z]{4,10}( [a-z]{2,9}){4,12}$/),
    date: fc.option(
      fc.date({ min: new Date("2024-01-01"), max: new Date("2026-07-06"), noInvalidDate: true }),
    ),
  });

  test("the same entries are archived, and the index is smaller after, where the seed's is not", () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 51, maxLength: 90 }), (entries) => {
        const lines = entries.map(({ title, text, date }, at) => {
          const stamp = date === null ? "" : ` (${date.toISOString().slice(0, 10)})`;
          return `- [${title} ${at}](topic-${at}.md) — ${text}${stamp}`;
        });
        const index = `# Project Memory\n\n${lines.join("\n")}\n`;
        const expected = seedArchives(index);
        fc.pre(expected.length > 0);
        const result = texts({ "MEMORY.md": index }, { maxLines: 50 });
        const moved = result.archive.split("\n").filter((line) => line.startsWith("- "));
        expect(moved.toSorted()).toEqual(expected.toSorted());
        const size = (text: string) => [text.length, text.split("\n").filter((line) => line !== "").length];
        const [units = 0, active = 0] = size(result.index);
        expect(units).toBeLessThan(index.length);
        if (expected.length > 2) expect(active).toBeLessThan(size(index)[1] ?? 0);
        expect(size(seedIndex(index, expected))[1]).toBeGreaterThan(size(index)[1] ?? 0);
      }),
      { numRuns: 12 },
    );
  });
});
