import { expect, test } from "vitest";
import { decode, withFiles } from "../../src/memory/directory.ts";
import { type ExtractPlan, planExtract } from "../../src/memory/extract.ts";
import { type Contents, memoryOf } from "../support/memory-directories.ts";

const NOW = new Date("2026-07-06T10:00:00Z");
const facts = (count: number) => Array.from({ length: count }, (_, at) => `- Fact ${at} holds`).join("\n");
const plan = (contents: Contents, sections: readonly string[] | null = null) =>
  planExtract(memoryOf(contents), { now: NOW, sections });

function written(contents: Contents, made: ExtractPlan): Record<string, string> {
  if (made.kind === "nothing") throw new Error("nothing");
  const after = withFiles(
    memoryOf(contents),
    new Map(made.change.files.map(({ path, after: bytes }) => [path, bytes])),
  );
  return Object.fromEntries([...after.files.values()].map(({ path, bytes }) => [path, decode(bytes)]));
}

test("a section moves word for word, with front matter, for one line among the topic files", () => {
  const contents = {
    "MEMORY.md": `# P\n\n## Build & Deploy (2026-01-01)\n\n${facts(16)}\n\n## Topic Files\n- [a.md](a.md) — A\n`,
    "a.md": "",
  };
  const files = written(contents, plan(contents));
  expect(files["MEMORY.md"]).toBe(
    "# P\n\n## Topic Files\n- [a.md](a.md) — A\n- [build-deploy.md](build-deploy.md) — Fact 0 holds; Fact 1 holds; Fact 2 holds; Fact 3 holds; Fact 4 holds; Fact 5 holds; Fact 6 holds…\n",
  );
  expect(files["build-deploy.md"]).toBe(
    `---\nname: build-deploy\ndescription: "Fact 0 holds; Fact 1 holds; Fact 2 holds; Fact 3 holds; Fact 4 holds; Fact 5 holds; Fact 6 holds…"\ntype: project\nmodified: 2026-07-06T10:00:00.000Z\n---\n\n## Build & Deploy (2026-01-01)\n\n${facts(16)}\n`,
  );
});

test("the section is made where there is none yet, and stays last", () => {
  const contents = { "MEMORY.md": `# P\n\n## Build\n${facts(16)}\n\n## Other\n- x` };
  expect(written(contents, plan(contents))["MEMORY.md"]).toMatch(
    /^# P\n\n## Other\n- x\n\n## Topic Files\n- \[build\.md\]\(build\.md\) — .+…$/,
  );
});

test.each<[string, Contents, readonly string[] | null, string]>([
  ["5 lines when asked for", { "MEMORY.md": `## S\n${facts(5)}\n` }, ["s"], "extract"],
  ["not 4", { "MEMORY.md": `## S\n${facts(4)}\n` }, ["S"], "too short"],
  ["not 15 unasked", { "MEMORY.md": `## S\n${facts(15)}\n` }, null, "nothing"],
  [
    "not over a file of that name",
    { "MEMORY.md": `## S\n${facts(16)}\n`, "s.md": "mine" },
    null,
    "topic file exists",
  ],
  [
    "not beside one that is about it",
    { "MEMORY.md": `## Build notes\n${facts(16)}\n`, "x.md": "---\nname: build_notes\n---\n" },
    null,
    "topic file exists",
  ],
  [
    "not what shares definitions",
    { "MEMORY.md": `[a][a]\n\n## S\n${facts(16)}\n\n[a]: a.md\n` },
    null,
    "shares link definitions",
  ],
  [
    "not the list of topic files",
    { "MEMORY.md": `## Topic Files\n${facts(16)}\n` },
    ["Topic Files"],
    "is the index itself",
  ],
  ["not what is not there", { "MEMORY.md": "## S\n" }, ["T"], "no such section"],
])("%s", (_, contents, sections, expected) => {
  const made = plan(contents, sections);
  expect([made.kind, ...made.skipped.map(({ reason }) => reason)]).toContain(expected);
});

test("a file is named by topic, in any script", () => {
  const contents = { "MEMORY.md": `## 배포 절차: 2026-01-01\n${facts(16)}\n` };
  expect(Object.keys(written(contents, plan(contents)))).toContain("배포-절차.md");
});
