import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAULTS, makeKnowledgeBase, writeKnowledgeBase } from "../../seed/knowledge-base.ts";
import { baseAt } from "../../src/knowledge/base.ts";
import { filesOf } from "../../src/knowledge/change.ts";
import { commitFiles } from "../../src/knowledge/commit.ts";
import { findContradictions } from "../../src/knowledge/contradictions.ts";
import { planFix } from "../../src/knowledge/fix.ts";
import { type LintFinding, lintBase } from "../../src/knowledge/lint.ts";
import { loadBase } from "../../src/knowledge/loaded.ts";
import { temporaryFolder } from "../support/cli.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { conceptPage, writeBase } from "../support/small-base.ts";

const MANY = {
  "broken-link": 46,
  unlisted: 12,
  "orphan-page": 9,
  "orphan-source": 6,
  "stale-article": 14,
  "missing-backlink": 40,
  "sparse-article": 25,
};

const key = ({ check, article, target }: { check: string; article: string; target?: string }) =>
  `${check} ${article}${target === undefined ? "" : ` ${target}`}`;
const keys = (findings: readonly (Pick<LintFinding, "check" | "article"> & { target?: string })[]) =>
  findings.map(key).toSorted();

test.each([
  ["a sound base of 300 articles with everything that looks like a fault", 300, {}],
  ["each fault once", 60, Object.fromEntries(FAULTS.map((fault) => [fault, 1]))],
  ["300 articles with many faults of every kind", 300, MANY],
])("%s: every fault is found and none invented", (_, articles, faults) => {
  for (const seed of [1, 2, 3]) {
    using folder = temporaryFolder();
    const base = makeKnowledgeBase({ seed, articles, faults });
    writeKnowledgeBase(folder.path, base);
    expect(keys(lintBase(loadBase(baseAt(folder.path))))).toEqual(keys(base.expected));
  }
});

test("levels are those that people were promised, errors first", () => {
  using folder = temporaryFolder();
  writeKnowledgeBase(folder.path, makeKnowledgeBase({ seed: 5, articles: 60, faults: MANY }));
  const levels = new Map(lintBase(loadBase(baseAt(folder.path))).map(({ check, level }) => [check, level]));
  expect([...levels]).toEqual([
    ["broken-link", "error"],
    ["unlisted", "error"],
    ["orphan-page", "warning"],
    ["orphan-source", "warning"],
    ["stale-article", "warning"],
    ["missing-backlink", "suggestion"],
    ["sparse-article", "suggestion"],
  ]);
});

test("a fix mends backlinks and index, adds lines only, and leaves nothing of the kind to find", () => {
  using folder = temporaryFolder();
  writeKnowledgeBase(
    folder.path,
    makeKnowledgeBase({ seed: 9, articles: 80, faults: { ...MANY, "orphan-page": 3 } }),
  );
  const loaded = loadBase(baseAt(folder.path));
  const change = planFix(loaded, lintBase(loaded), new Date());
  if (change === null) throw new Error("there was something to fix");
  expect(commitFiles(loaded.base.knowledge, filesOf(loaded, change)).kind).toBe("committed");
  const after = loadBase(loaded.base);
  const checks = new Set(lintBase(after).map(({ check }) => check));
  expect([...checks]).toEqual([
    "broken-link",
    "orphan-page",
    "orphan-source",
    "stale-article",
    "sparse-article",
  ]);
  for (const { path, text } of loaded.articles) {
    const now = (after.articles.find((article) => article.path === path)?.text ?? "").split("\n");
    let from = 0;
    for (const line of text.split("\n")) from = now.indexOf(line, from) + 1 || Number.NaN;
    expect(from).toBeGreaterThan(0);
  }
  expect(planFix(after, lintBase(after), new Date())).toBeNull();
});

test.each([
  [
    "a list of its own",
    "# B\n\n## Related Concepts\n\n- [[concepts/c]]\n\n## Sources\n\n- x\n",
    "# B\n\n## Related Concepts\n\n- [[concepts/c]]\n- [[concepts/a]]\n\n## Sources\n\n- x\n",
  ],
  [
    "sources only",
    "# B\n\n## Sources\n\n- x\n",
    "# B\n\n## Related Concepts\n\n- [[concepts/a]]\n\n## Sources\n\n- x\n",
  ],
  ["nothing", "# B\n", "# B\n\n## Related Concepts\n\n- [[concepts/a]]\n"],
  ["an empty list", "# B\n\n## Related Concepts\n", "# B\n\n## Related Concepts\n\n- [[concepts/a]]\n"],
  [
    "the heading in a code block",
    "# B\n\n```\n## Related Concepts\n```\n",
    "# B\n\n```\n## Related Concepts\n```\n\n## Related Concepts\n\n- [[concepts/a]]\n",
  ],
  [
    "CRLF",
    "# B\r\n\r\n## Related Concepts\r\n\r\n- [[concepts/c]]\r\n",
    "# B\r\n\r\n## Related Concepts\r\n\r\n- [[concepts/c]]\r\n- [[concepts/a]]\r\n",
  ],
])("a backlink goes into a page with %s", (_, page, expected) => {
  using folder = temporaryFolder();
  const base = writeBase(folder.path, {
    "knowledge/concepts/a.md": "[[concepts/b]]",
    "knowledge/concepts/b.md": page,
  });
  const loaded = loadBase(base);
  const change = planFix(
    loaded,
    lintBase(loaded).filter(({ article }) => article === "concepts/a"),
    new Date(),
  );
  expect(change?.pages).toMatchObject([{ path: "concepts/b", text: expected }]);
});

test("contradictions count only with the words they are about; the rest of an answer is dropped", async () => {
  using folder = temporaryFolder();
  const base = writeBase(folder.path, {
    "knowledge/concepts/a.md": conceptPage("Port a", { log: "2026-04-01.md" }),
    "knowledge/concepts/b.md": conceptPage("Port b", { log: "2026-04-01.md" }),
  });
  const { articles } = loadBase(base);
  const claim = (first: string, second: string) => ({
    first: { path: "concepts/a", quote: first },
    second: { path: "concepts/b", quote: second },
    why: "both  ports",
  });
  const answer = JSON.stringify({
    contradictions: [
      claim("Port a matters", "Port b\nmatters"),
      claim("Port a listens on 4000", "Port b matters"),
      claim("", ""),
    ],
  });
  const report = await findContradictions(
    articles,
    scriptedModel(answer).model,
    new AbortController().signal,
  );
  expect(report).toEqual({
    stopped: null,
    findings: [
      {
        level: "warning",
        check: "contradiction",
        article: "concepts/a",
        target: "concepts/b",
        message: "“Port a matters” against “Port b matters” in [[concepts/b]]: both ports",
      },
    ],
  });
  expect(
    await findContradictions(articles, scriptedModel("none found").model, new AbortController().signal),
  ).toMatchObject({ findings: [], stopped: { kind: "refused" } });
});

test("an article without front matter, with broken front matter, or empty is linted like any other", () => {
  using folder = temporaryFolder();
  const base = writeBase(folder.path, {
    "knowledge/concepts/none.md": "Just words.",
    "knowledge/concepts/broken.md": "---\ntitle: a: b: [\n---\nWords",
    "knowledge/concepts/empty.md": "",
    "knowledge/index.md": "nothing here",
  });
  const found = keys(lintBase(loadBase(base)));
  expect(found).toHaveLength(9);
  writeFileSync(
    join(base.knowledge, "concepts/none.md"),
    readFileSync(join(base.knowledge, "concepts/empty.md")),
  );
  expect(keys(lintBase(loadBase(base)))).toEqual(found);
});
