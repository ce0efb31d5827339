import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeKnowledgeBase, writeKnowledgeBase } from "../../seed/knowledge-base.ts";
import { localDay } from "../../src/knowledge/day.ts";
import { queueCapture } from "../support/captures.ts";
import { type CliRun, runCli, temporaryFolder } from "../support/cli.ts";
import { claudeSays, fakeClaude } from "../support/fake-claude.ts";
import { eventually } from "../support/hooks.ts";
import { conceptBody, dailyLog, snapshot, writeBase } from "../support/small-base.ts";

interface Place extends Disposable {
  home: string;
  base: string;
  state: string;
  run(args: readonly string[], env?: Record<string, string>): Promise<CliRun>;
  json(
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ code: number; object: ReturnType<typeof JSON.parse> }>;
  /** Claude Code from now on answers this. */
  claude(text: string): void;
  calls(): { stdin: string }[];
}

function place(): Place {
  const folder = temporaryFolder();
  const home = folder.path;
  const [base, bin] = [join(home, "base"), join(home, "bin")];
  mkdirSync(bin);
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCli(["knowledge", ...args], {
      home,
      env: { KNOWLEDGE_DIR: base, PATH: `${bin}:${process.env["PATH"]}`, ...env },
    });
  let fake = fakeClaude(bin, claudeSays({ kind: "answers", text: "" }));
  return {
    home,
    base,
    state: join(home, ".local/state/persisted-memory"),
    run,
    json: async (args, env) => {
      const { code, stdout } = await run([...args, "--json"], env);
      return { code, object: JSON.parse(stdout) };
    },
    claude: (text) => void (fake = fakeClaude(bin, claudeSays({ kind: "answers", text }))),
    calls: () => fake.calls(),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const LOG = "2026-04-01.md";
const PAGE = {
  path: "concepts/jitter",
  action: "create",
  title: "Jitter",
  summary: "Why jitter",
  body: conceptBody("Jitter", { log: LOG }),
};

test("without a model the pipeline costs nothing and is useful: flush, compile's plan, search, lint, status", async () => {
  using at = place();
  queueCapture(at.state, { base: at.base });
  expect(await at.json(["flush"])).toMatchObject({
    code: 0,
    object: {
      schemaVersion: 1,
      model: "extractive",
      flushed: [{ session: "s1", outcome: "written" }],
      usage: { calls: 0 },
    },
  });
  const today = `${localDay(new Date())}.md`;
  expect(await at.json(["status"])).toMatchObject({
    code: 0,
    object: {
      base: at.base,
      logs: { total: 1, toCompile: [today] },
      queue: { waiting: 0 },
      articles: { total: 0 },
      lastCompile: null,
      costs: [],
    },
  });
  const before = snapshot(at.base);
  expect(await at.json(["compile"])).toMatchObject({
    code: 0,
    object: { waiting: [today], totals: { calls: 0 }, compiled: [] },
  });
  expect(await at.json(["compile", "--dry-run", "--model", "haiku"])).toMatchObject({
    code: 0,
    object: {
      dryRun: true,
      totals: { logs: 1, calls: 1, inputTokens: expect.any(Number), costUsd: expect.any(Number) },
    },
  });
  expect(snapshot(at.base)).toEqual(before);
  expect(at.calls()).toEqual([]);
  expect(existsSync(join(at.home, ".local/share/persisted-memory/digests.db"))).toBe(false);
  writeKnowledgeBase(at.base, makeKnowledgeBase({ seed: 1, articles: 40 }));
  expect(await at.json(["query", "feature", "flag"])).toMatchObject({
    code: 0,
    object: {
      articles: expect.arrayContaining([
        expect.objectContaining({ path: expect.stringContaining("feature-flag") }),
      ]),
    },
  });
  expect(await at.json(["query", "x", "--file-back"])).toMatchObject({
    code: 2,
    object: { error: { code: "needs-model" } },
  });
});

test("lint: exit 1 on errors alone, a report, and what can be mended is mended", async () => {
  using at = place();
  writeKnowledgeBase(
    at.base,
    makeKnowledgeBase({ seed: 2, articles: 40, faults: { unlisted: 2, "missing-backlink": 3 } }),
  );
  const first = await at.json(["lint", "--structural-only"]);
  expect(first).toMatchObject({ code: 1, object: { schemaVersion: 1, contradictions: "not looked for" } });
  expect(first.object.findings).toHaveLength(5);
  expect(first.object.findings[0]).toMatchObject({
    level: "error",
    check: "unlisted",
    article: expect.any(String),
    message: expect.any(String),
  });
  const report = readFileSync(join(at.base, `reports/lint-${localDay(new Date())}.md`), "utf8");
  expect(report).toContain("errors: 2 · warnings: 0 · suggestions: 3");
  expect(await at.json(["lint", "--fix"])).toMatchObject({
    code: 0,
    object: { findings: [], fixed: expect.objectContaining({ length: 5 }) },
  });
  expect(readFileSync(join(at.base, "knowledge/log.md"), "utf8")).toMatch(
    /lint \| fix\n- updated: .*\n\n## \[.*\] lint \| check\n- findings: 0\n/,
  );
  expect((await at.run(["lint"])).stdout).toBe("0 errors, 0 warnings, 0 suggestions.\n");
});

test("with a model: the same pipeline writes articles, answers, keeps an answer and shows what it cost", async () => {
  using at = place();
  writeBase(at.base, { [`daily/${LOG}`]: dailyLog("2026-04-01", ["jitter"]) });
  const model = { KNOWLEDGE_MODEL: "haiku" };
  at.claude(`Here you are:\n\`\`\`json\n${JSON.stringify({ articles: [PAGE] })}\n\`\`\``);
  expect(await at.json(["compile"], model)).toMatchObject({
    code: 0,
    object: {
      totals: { logs: 1, created: 1, updated: 0, calls: 1 },
      compiled: [{ log: LOG, created: ["concepts/jitter"] }],
      failures: [],
    },
  });
  expect(at.calls()[0]?.stdin).toContain("jitter it is, because it works");
  expect((await at.run(["compile"], model)).stdout).toBe("Nothing new: every log is compiled.\n");
  at.claude(
    JSON.stringify({ articles: ["concepts/jitter"], answer: "It is [[concepts/jitter]].", followUps: [] }),
  );
  expect(await at.json(["query", "--file-back", "Why jitter?"], model)).toMatchObject({
    code: 0,
    object: {
      answer: "It is [[concepts/jitter]].",
      consulted: ["concepts/jitter"],
      filed: "qa/why-jitter",
      usage: { calls: 2 },
    },
  });
  at.claude('{"contradictions":[]}');
  expect(await at.json(["lint"], model)).toMatchObject({ code: 0, object: { contradictions: "looked for" } });
  const { object } = await at.json(["status"], model);
  expect(object).toMatchObject({
    articles: { total: 2, concepts: 1, qa: 1, edited: 0 },
    lastCompile: expect.stringMatching(/Z$/),
  });
  expect(
    object.costs.map(({ purpose, calls }: { purpose: string; calls: number }) => [purpose, calls]),
  ).toEqual([
    ["compile", 1],
    ["lint", 1],
    ["query", 2],
  ]);
});

test.each([
  ["prose", "Sorry, I can't.", 5],
  ["an article outside the base", JSON.stringify({ articles: [{ ...PAGE, path: "../../x" }] }), 4],
])("a compile that gets %s writes nothing, ends with %s", async (_, answer, code) => {
  using at = place();
  writeBase(at.base, { [`daily/${LOG}`]: dailyLog("2026-04-01", ["jitter"]) });
  at.claude(answer);
  const before = snapshot(at.base);
  expect(await at.json(["compile", "--model", "haiku"])).toMatchObject({
    code,
    object: { failures: [{ log: LOG, reason: expect.any(String) }] },
  });
  expect(snapshot(at.base)).toEqual(before);
});

test.each([
  [["compile", "--file", "2020-01-01"], "unknown-log"],
  [["compile", "--until", "yesterday"], "bad-option"],
  [["compile", "--model", "haikku"], "unknown-model"],
  [["flush", "--model", "gpt"], "unknown-model"],
  [["query", " "], "no-question"],
])("%j is a usage error", async (args, code) => {
  using at = place();
  expect(await at.json(args)).toMatchObject({ code: 2, object: { error: { code } } });
});

test("a cap stops a flush before the call, and what waits stays", async () => {
  using at = place();
  queueCapture(at.state, { base: at.base });
  expect(await at.json(["flush", "--model", "haiku"], { MAX_CALLS_PER_DAY: "0" })).toMatchObject({
    code: 5,
    object: { paused: { reason: expect.stringContaining("MAX_CALLS_PER_DAY") } },
  });
  expect(at.calls()).toEqual([]);
  expect(await at.json(["status"])).toMatchObject({ object: { queue: { waiting: 1 } } });
});

test("the first flush of a day takes along earlier days' logs; after the hour today's, too", async () => {
  for (const [hour, expected] of [
    ["24", [LOG]],
    ["0", [LOG, `${localDay(new Date())}.md`]],
  ] as const) {
    using at = place();
    writeBase(at.base, { [`daily/${LOG}`]: dailyLog("2026-04-01", ["jitter"]) });
    queueCapture(at.state, { base: at.base });
    const entry = '**Decisions Made:**\n- x\n{"articles":[],"nothing":"routine"}';
    at.claude(entry);
    await at.run(["flush"], { KNOWLEDGE_MODEL: "haiku", COMPILE_AFTER_HOUR: hour });
    const record = join(at.base, "knowledge/.compiled.json");
    const logs = () => (existsSync(record) ? Object.keys(JSON.parse(readFileSync(record, "utf8")).logs) : []);
    await eventually(logs, (found) => found.length === expected.length);
    expect(logs()).toEqual(expected);
    await eventually(at.calls, (calls) => calls.length === 1 + expected.length);
  }
});

test("what a killed compile left is finished by whatever command comes next", async () => {
  using at = place();
  writeBase(at.base, {
    "knowledge/.staging/0": "page",
    "knowledge/.staging/commit.json": '["concepts/a.md"]',
  });
  await at.run(["status"]);
  expect(readFileSync(join(at.base, "knowledge/concepts/a.md"), "utf8")).toBe("page");
  expect(existsSync(join(at.base, "knowledge/.staging"))).toBe(false);
  writeFileSync(join(at.base, "knowledge/concepts/a.md"), "mine");
  await at.run(["status"]);
  expect(readFileSync(join(at.base, "knowledge/concepts/a.md"), "utf8")).toBe("mine");
});
