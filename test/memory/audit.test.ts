import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AuditCode, type AuditFinding } from "../../src/memory/finding.ts";
import { type AuditContext } from "../../src/memory/audit-entries.ts";
import { auditMemory } from "../../src/memory/audit.ts";
import { listProject } from "../../src/memory/claims.ts";
import { MEMORY_SHAPES, makeMemoryDirectory } from "../../seed/memory-directory.ts";
import { type Contents, memoryOf } from "../support/memory-directories.ts";

const CONTEXT: AuditContext = { instructions: [], project: null, siblings: [], env: {} };
const TOPIC = "---\nname: x\ntype: project\n---\n\n# X\n";

const audit = (contents: Contents, context: Partial<AuditContext> = {}) =>
  auditMemory(memoryOf(contents), { ...CONTEXT, ...context });
const codes = (findings: readonly AuditFinding[]): AuditCode[] => findings.map(({ code }) => code);
const lines = (count: number, units = 8) =>
  Array.from({ length: count }, (_, at) => `- ${at}`.padEnd(units, "x")).join("\n");

describe("how much of the index loads", () => {
  test.each([
    [
      "whole",
      lines(100),
      { lines: 100, usage: 0.5, binds: "neither", nearer: "lines", firstLineDropped: null, droppedLines: [] },
    ],
    ["exactly full of lines", lines(200), { usage: 1, binds: "neither", firstLineDropped: null }],
    ["one line over", lines(201), { lines: 201, loadedLines: 200, binds: "lines", firstLineDropped: 201 }],
    ["exactly full of units", `${lines(100, 249)}x`, { units: 25_000, binds: "neither", usage: 1 }],
    ["over by size", lines(150, 200), { binds: "size", loadedLines: 124, firstLineDropped: 125 }],
    ["both caps, size first", lines(248, 130), { binds: "size", firstLineDropped: 191 }],
    ["both caps, lines first", lines(260, 110), { binds: "lines", firstLineDropped: 201 }],
    [
      "a first line that is itself too long",
      `${"y".repeat(30_000)}\n- b`,
      {
        binds: "size",
        loadedLines: 1,
        loadedUnits: 25_000,
        firstLineCut: true,
        firstLineDropped: null,
        droppedLines: [{ line: 2, text: "- b" }],
      },
    ],
    [
      "emoji count twice, and Hangul once",
      `- ${"😀".repeat(10)}${"가".repeat(10)}\n`,
      { units: 32, astral: 10, bytes: 73 },
    ],
    [
      "what does not load does not count",
      `---\na: b\n---\n# P\n<!-- note -->\n- x\n`,
      { lines: 2, units: 7, notLoadedUnits: 28 },
    ],
  ])("%s", (_, index, expected) => {
    expect(audit({ "MEMORY.md": index }).index).toMatchObject(expected);
  });

  test("each dropped line is named with its place in the file", () => {
    const { index } = audit({ "MEMORY.md": `---\nname: x\n---\n${lines(203)}\n` });
    expect(index?.firstLineDropped).toBe(201);
    expect(index?.droppedLines.map(({ line }) => line)).toEqual([204, 205, 206]);
  });

  test.each<[string, string, AuditCode[]]>([
    ["79 %", lines(158), []],
    ["80 %", lines(160), ["near-cap"]],
    ["100 %", lines(200), ["near-cap"]],
    ["more", lines(201), ["over-cap"]],
  ])("warned of at %s", (_, index, expected) => {
    expect(codes(audit({ "MEMORY.md": index }).findings)).toEqual(expected);
  });
});

describe("topic files", () => {
  const linked = (index: string, more: Contents = {}) => {
    const { topics, findings } = audit({ "MEMORY.md": index, "a.md": TOPIC, ...more });
    return { ...topics, codes: codes(findings) };
  };
  test.each<[string, string]>([
    ["a plain link", "- [A](a.md)"],
    ["in angle brackets, with a title", '- [A](<./a.md> "more")'],
    ["with an anchor", "- [A](a.md#part)"],
    ["a reference link", "- [A][a]\n\n[a]: a.md"],
    ["bold", "- **[A](a.md)**"],
    ["mid-sentence", "See [a.md](a.md)."],
    ["one of several", "- [X](https://x.example) · [A](a.md)"],
    ["in a table", "| a |\n|---|\n| [A](a.md) |"],
    ["a wikilink by file name", "- [[a]] — text"],
    ["a wikilink with a label", "- [[a|that]]"],
    ["a wikilink by front-matter name", "- [[x]]"],
    ["with an entity", "- [A](&#97;.md)"],
  ])("reached by %s", (_, index) => {
    expect(linked(`${index}\n`)).toMatchObject({ linked: 1, orphans: [], dangling: [], codes: [] });
  });

  test.each<[string, string]>([
    ["in a fence", "```\n[A](a.md)\n```"],
    ["in inline code", "- `[A](a.md)`"],
    ["in a comment", "<!-- [A](a.md) -->"],
    ["in an HTML block", "<div>\n[A](a.md)\n</div>"],
    ["indented as code", "text\n\n    [A](a.md)"],
    ["escaped", "- \\[A](a.md)"],
    ["swallowed as front matter", "---\n- [A](a.md)\n---\n- b"],
  ])("not reached %s", (_, index) => {
    expect(linked(`${index}\n`)).toMatchObject({ linked: 0, orphans: ["a.md"] });
  });

  test("reached over linked files, indexes and hand-made archives", () => {
    const { topics } = audit({
      "MEMORY.md": "- [Parts](index-1.md)\n- [Archive](MEMORY-archive.md)\n",
      "index-1.md": "- [B](sub/b.md)\n",
      "sub/b.md": "[[c]] and [up](../d.md)\n",
      "c.md": TOPIC,
      "d.md": TOPIC,
      "MEMORY-archive.md": "<!-- 2026-01-01 -->\n- [E](e.md)\n",
      "e.md": TOPIC,
      "f.md": TOPIC,
    });
    expect(topics).toMatchObject({ files: 7, linked: 6, orphans: ["f.md"] });
  });

  test("shares of files and of bytes are told apart", () => {
    const { topics } = audit({
      "MEMORY.md": "- [A](a.md)\n",
      "a.md": "x".repeat(900),
      "b.md": "x".repeat(100),
    });
    expect(topics.orphanShare).toEqual({ files: 1, ofFiles: 0.5, bytes: 100, ofBytes: 0.1 });
  });

  test.each<[string, string, string[], AuditCode[]]>([
    ["a file that is gone", "- [A](a.md)\n- [B](b.md)", ["b.md"], ["dangling"]],
    ["once for two lines", "- [A](a.md)\n- [B](b.md)\n- [B again](b.md)", ["b.md"], ["dangling", "dangling"]],
    [
      "not a template's target",
      "- [A](a.md)\n- [Title](file.md) and [T](topic-name.md), [E](example.md), [P](<{name}.md>)",
      [],
      [],
    ],
    ["not in a fence", "- [A](a.md)\n\n```\n[B](b.md)\n```", [], []],
    [
      "not an address",
      "- [A](a.md), [B](https://x.example/b.md), [C](mailto:x@x.example), [D](#part)",
      [],
      [],
    ],
    ["not a wikilink that names nothing yet", "- [A](a.md) [[later]]", [], ["unresolved-link"]],
  ])("dangling: %s", (_, index, dangling, expected) => {
    const result = linked(`${index}\n`);
    expect(result.dangling).toEqual(dangling);
    expect(result.codes).toEqual(expected);
  });

  test("links that leave the directory are listed apart", () => {
    expect(linked("- [A](a.md), [R](../../CLAUDE.md)\n")).toMatchObject({
      outside: ["../../CLAUDE.md"],
      dangling: [],
    });
  });

  test.each<[string, string, AuditCode]>([
    ["named in prose", "The rest is in a-note.md.", "degraded"],
    ["named in code", "See `a-note` for more.", "degraded"],
    ["linked with other case", "- [A](A-Note.md)", "normalised-link"],
    ["linked with underscores", "- [A](a_note.md)", "normalised-link"],
    ["linked without its ending", "- [A](a-note)", "normalised-link"],
    ["a wikilink with underscores", "- [[a_note]]", "normalised-link"],
  ])("degraded, not reached: %s", (_, index, code) => {
    const { topics, findings } = audit({
      "MEMORY.md": `${index}\n`,
      "a-note.md": TOPIC.replace("x", "other"),
    });
    expect(topics).toMatchObject({ orphans: ["a-note.md"], degraded: ["a-note.md"], dangling: [] });
    expect(codes(findings)).toEqual(["orphan", code]);
  });

  test("a plain word is no file's name", () => {
    expect(audit({ "MEMORY.md": "The build is slow.\n", "build.md": TOPIC }).topics.degraded).toEqual([]);
  });

  test("a file that only dropped lines link to is said so", () => {
    const { topics } = audit({ "MEMORY.md": `${lines(200)}\n- [A](a.md)\n`, "a.md": TOPIC });
    expect(topics).toMatchObject({ orphans: [], linkedFromDroppedLines: ["a.md"] });
  });

  test.each<[string, string, AuditCode[]]>([
    ["a known type", "---\ntype: feedback\n---\n", []],
    ["nested under metadata", "---\nmetadata:\n  type: user\n---\n", []],
    ["in YAML that is none", "---\ndescription: Note: it breaks\ntype: project\n---\n", []],
    ["none", "---\nname: x\n---\n", ["topic-type"]],
    ["an odd one", "---\ntype: misc\n---\n", ["topic-type"]],
    ["no front matter", "# X\n", ["topic-type"]],
  ])("type: %s", (_, topic, expected) => {
    expect(codes(audit({ "MEMORY.md": "- [A](a.md)\n", "a.md": topic }).findings)).toEqual(expected);
  });
});

describe("what nobody reads", () => {
  test.each<[string, string, AuditCode[]]>([
    [
      "an index that begins with a line of dashes",
      "---\n# P\n- a\n\n---\n\n- b\n",
      ["front-matter-swallows"],
    ],
    ["real front matter", "---\nname: x\ntype: user\n---\n- b\n", []],
    ["a comment", "# P\n<!-- remember the milk -->\n- b\n", ["note-in-comment"]],
    [
      "a directive for a program",
      "# P\n<!-- markdownlint-disable MD013 -->\n<!-- prettier-ignore -->\n- b\n",
      [],
    ],
    ["a comment in a fence", "# P\n```\n<!-- remember the milk -->\n```\n", []],
  ])("%s", (_, index, expected) => {
    expect(codes(audit({ "MEMORY.md": index }).findings)).toEqual(expected);
  });
});

describe("entries and sections", () => {
  const facts = (count: number) =>
    Array.from({ length: count }, (_, at) => `- Fact number ${at} of ${at * 7}`).join("\n");
  test.each<[string, string, AuditCode[]]>([
    ["an entry of 200 units", `- ${"x".repeat(200)}\n`, []],
    ["an entry of 201 units", `- ${"x".repeat(201)}\n`, ["long-entry"]],
    ["a section of 15 lines", `# P\n\n## S\n\n${facts(15)}\n`, []],
    ["a section of 16 lines", `# P\n\n## S\n\n${facts(16)}\n`, ["oversize-section"]],
    [
      "a long list of links, which is what an index is",
      `## S\n\n${facts(16)
        .replaceAll(/- (Fact)/g, "- [$1](https://x.example)")
        .replaceAll("https://x.example", "a.md")}\n`,
      ["dangling"],
    ],
    [
      "the same twice",
      "- The cache must be cleared by hand\n- the cache must be cleared **by hand** (2026-01-01)\n",
      ["duplicate"],
    ],
    [
      "nearly the same",
      "- The cache must be cleared by hand after deploys\n- The cache must always be cleared by hand after a deploy\n",
      ["near-duplicate"],
    ],
    [
      "the same about another thing",
      "- Deploy 1.2 needs the `cache` cleared by hand\n- Deploy 1.3 needs the `cache` cleared by hand\n",
      [],
    ],
    [
      "the contrary",
      "- The cache must be cleared by hand after deploys\n- The cache must not be cleared by hand after deploys\n",
      [],
    ],
    ["sections behind the topic files", "## Topic Files\n- x\n\n## More\n- y\n", ["topic-section-not-last"]],
    ["topic files last", "## More\n- y\n\n## Topic Files\n- x\n", []],
  ])("%s", (_, index, expected) => {
    expect([...new Set(codes(audit({ "MEMORY.md": index }).findings))]).toEqual(expected);
  });

  test("an entry that CLAUDE.md has as well", () => {
    const instructions = [{ path: "CLAUDE.md", text: "# Rules\n\n- Never edit generated files by hand\n" }];
    const { findings } = audit(
      { "MEMORY.md": "- never edit generated files by hand\n- other things are fine here\n" },
      { instructions },
    );
    expect(findings).toMatchObject([{ code: "repeats-claude-md", line: 1 }]);
  });
});

describe("claims about the project", () => {
  const root = mkdtempSync(join(tmpdir(), "pmem-project-"));
  for (const path of [
    "src/app.ts",
    "src/lib/deep.ts",
    "tools/a.sh",
    "tools/b.sh",
    "tools/sub/c.sh",
    "package.json",
  ]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  const project = listProject(root);
  const claims = (text: string) => audit({ "MEMORY.md": `- x\n- ${text}\n` }, { project }).findings;

  test.each([
    "`src/app.ts`",
    "`./src/app.ts:12`",
    "`src/lib/`",
    "`lib/deep.ts`, as people shorten it",
    "`deep.ts`",
    "`package.json`",
    "`MEMORY.md`",
    "`Node.js` and `console.log`, `a.b.c`",
    "`application/json`, `origin/main`, `owner/repo`",
    "`/api/users`, `https://x.example/a.ts`, `@scope/name`",
    "`src/*.ts`, `src/<name>.ts`, `rm -rf dist`",
    "`.ts` files",
    "other-repo's `elsewhere/app.yaml`",
    "2 files in tools",
    "3 scripts in tools/",
    "5 retries in production",
    "12 words, none of a folder",
  ])("no alarm for %s", (text) => {
    expect(claims(text)).toEqual([]);
  });

  test.each<[string, AuditCode, RegExp]>([
    ["`src/gone.ts` does it", "unverified-path", /`src\/gone\.ts` is not in the project/],
    ["`src/gone/` holds them", "unverified-path", /src\/gone/],
    ["`gone.config.json` says so", "unverified-path", /gone\.config\.json/],
    [
      "7 files in tools/",
      "unverified-count",
      /says 7 files in `tools\/`; there are 2, 3 with those in its folders/,
    ],
    ["7 skills in tools/", "unverified-count", /unverified/],
  ])("%s", (text, code, message) => {
    expect(claims(text)).toMatchObject([{ code, line: 2, message: expect.stringMatching(message) }]);
  });
});

test.each(MEMORY_SHAPES)("a directory of the shape %s raises no false alarm", (shape) => {
  const files = makeMemoryDirectory({ shape, topics: 60, seed: 3, today: new Date("2026-11-29T12:00:00Z") });
  const { topics, findings } = audit(Object.fromEntries(files));
  const expectedOrphans: Record<string, number> = { prose: 60, dated: 17 };
  expect(topics.orphans).toHaveLength(expectedOrphans[shape] ?? 0);
  expect(topics.dangling).toEqual([]);
  expect(topics.degraded).toHaveLength(shape === "prose" ? 36 : 0);
  const errors = findings.filter(({ level, code }) => level === "error" && code !== "orphan");
  expect(errors).toEqual([]);
});
