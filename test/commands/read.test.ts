import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { renderBlock } from "../../src/block/block.ts";
import { run } from "../../src/commands/read.ts";
import { Exit } from "../../src/errors.ts";
import { peekDigests } from "../../src/store/peek.ts";
import { makeSource } from "../support/claude-mem.ts";
import { temporaryFolder } from "../support/cli.ts";
import { type CommandInput, runCommand } from "../support/command.ts";
import { makeStore } from "../support/digest-store.ts";
import { DAY } from "../support/peeked.ts";
import { Workshop } from "../support/workshop.ts";

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;
beforeEach(() => {
  folder = temporaryFolder();
  env = {
    HOME: folder.path,
    DIGEST_DB: join(folder.path, "digests.db"),
    CLAUDE_MEM_DB: join(folder.path, "claude-mem.db"),
  };
});
afterEach(() => folder[Symbol.dispose]());

const read = (args: readonly string[], input: Partial<CommandInput> = {}) =>
  runCommand(run, { env, cwd: folder.path, ...input, args });
const store = (content: Parameters<typeof makeStore>[1]) =>
  makeStore(env["DIGEST_DB"] ?? "", content).close();
const source = (...projects: string[]) =>
  makeSource(
    env["CLAUDE_MEM_DB"] ?? "",
    projects.map((project) => ({ project, title: "t" })),
  );

const WIDGETS = {
  widgets: {
    decision: [{ text: "Postgres holds the queue", sources: [3, 12, 7], rank: 5 }],
    gotcha: [{ text: "Clocks drift", sources: [4] }],
  },
  tides: { decision: [{ text: "Curves are SVG", sources: [9] }] },
};

describe("one project", () => {
  test("its block goes to stdout, what it costs to stderr", async () => {
    store(WIDGETS);
    const { exit, stdout, stderr } = await read(["widgets"]);
    expect(exit).toBe(Exit.done);
    expect(stdout).toMatch(/^<persisted-memory project="widgets">\n/);
    expect(stdout).toContain("- Postgres holds the queue #12,7+1\n");
    expect(stderr).toContain("raw history");
    expect(stderr).toMatch(/50 newest rows +900 /);
  });

  test("the block is the hook's, to the letter", async () => {
    store(WIDGETS);
    const peeked = peekDigests(env["DIGEST_DB"] ?? "", ["widgets"], 9500);
    if (peeked?.kind !== "peeked") throw new Error("unusable");
    expect((await read(["widgets"])).stdout).toBe(`${renderBlock(peeked, 9500).text}\n`);
  });

  test("--json is one object with whole digests", async () => {
    store(WIDGETS);
    const { stdout, stderr } = await read(["widgets"], { json: true });
    expect(stderr).toBe("");
    const object = JSON.parse(stdout);
    expect(object).toMatchObject({
      schemaVersion: 1,
      project: "widgets",
      units: object.block.length,
      omitted: 0,
      economics: {
        observations: 2,
        rawTokens: 100_000,
        recent50: { tokens: 900, observations: 50 },
        underFloor: false,
      },
    });
    expect(object.cells).toHaveLength(2);
    expect(object.cells[0]).toEqual({
      project: "widgets",
      type: "decision",
      revision: 2,
      updatedAt: new Date(DAY + 1000).toISOString(),
      watermark: { id: 70, epoch: DAY },
      items: [
        {
          id: expect.any(Number),
          text: "Postgres holds the queue",
          sources: [3, 7, 12],
          firstEpoch: DAY,
          lastEpoch: DAY,
          confirmations: 0,
          pinned: false,
          origin: "merged",
        },
      ],
    });
  });

  test("items that the block leaves out are in --json all the same", async () => {
    store({
      widgets: {
        gotcha: Array.from({ length: 300 }, (_, at) => ({ text: `note ${at} ${"word ".repeat(20)}` })),
      },
    });
    const { block, omitted, cells } = JSON.parse((await read(["widgets"], { json: true })).stdout);
    expect(cells[0].items).toHaveLength(300);
    expect(block.match(/^- /gm).length + omitted).toBe(300);
    expect(omitted).toBeGreaterThan(100);
  });
});

describe("without a name it is the current folder's", () => {
  test("a plain folder", async () => {
    store(WIDGETS);
    mkdirSync(join(folder.path, "tides"));
    expect((await read([], { cwd: join(folder.path, "tides") })).stdout).toContain("Curves are SVG");
  });

  test("CLAUDE_PROJECT_DIR", async () => {
    store(WIDGETS);
    env["CLAUDE_PROJECT_DIR"] = join(folder.path, "widgets");
    expect((await read([])).stdout).toContain("Clocks drift");
  });

  const worktree = () => {
    const git = join(folder.path, "widgets", ".git");
    mkdirSync(join(git, "worktrees", "wt"), { recursive: true });
    mkdirSync(join(git, "objects"));
    mkdirSync(join(git, "refs"));
    for (const file of ["HEAD", "worktrees/wt/HEAD", "worktrees/wt/commondir"])
      writeFileSync(join(git, file), "x");
    mkdirSync(join(folder.path, "wt"));
    writeFileSync(join(folder.path, "wt", ".git"), `gitdir: ${join(git, "worktrees", "wt")}\n`);
    return join(folder.path, "wt");
  };
  const own = { "widgets/wt": { decision: [{ text: "Only here" }] } };

  test.each([
    ["in a worktree", () => ({ cwd: worktree(), args: [] })],
    ["by a worktree's name", () => ({ cwd: folder.path, args: ["widgets/wt"] })],
  ])("%s parent and own digests are read", async (_, where) => {
    store({ ...WIDGETS, ...own });
    const { cwd, args } = where();
    const { project, cells, block } = JSON.parse((await read(args, { cwd, json: true })).stdout);
    expect(project).toBe("widgets/wt");
    expect(cells.map((cell: { project: string }) => cell.project)).toEqual([
      "widgets/wt",
      "widgets",
      "widgets",
    ]);
    expect(block).toContain("## Decisions\n2026-05\n- Only here\n## Decisions (widgets)");
  });
});

test("an alias is read under its new name", async () => {
  makeStore(env["DIGEST_DB"] ?? "", WIDGETS).client.run("INSERT INTO aliases VALUES ('gadgets', 'widgets')");
  expect(JSON.parse((await read(["gadgets"], { json: true })).stdout).project).toBe("widgets");
});

describe("nothing to show", () => {
  const empty = { block: "", units: 0, omitted: 0, cells: [] };

  test.each([
    ["no store yet", () => undefined],
    ["a store without it", () => store(WIDGETS)],
  ])("a project that the source knows is no error: %s", async (_, prepare) => {
    prepare();
    source("new-one");
    const { exit, stdout } = await read(["new-one"], { json: true });
    expect(exit).toBe(Exit.done);
    expect(JSON.parse(stdout)).toMatchObject({ project: "new-one", ...empty });
    expect(await read(["new-one"])).toMatchObject({
      exit: Exit.done,
      stdout: "",
      stderr: expect.stringContaining("build"),
    });
  });

  test("nobody knows it: exit 2 with near names of store and source", async () => {
    store(WIDGETS);
    source("widget-shop");
    await expect(read(["widgts"])).rejects.toMatchObject({
      code: "unknown-project",
      exit: Exit.usage,
      hint: expect.stringContaining("widgets"),
    });
    await expect(read(["widget-shp"])).rejects.toMatchObject({
      hint: expect.stringContaining("widget-shop"),
    });
  });

  test("a source that is missing is no reason to be silent about an unknown name", async () => {
    store(WIDGETS);
    await expect(read(["nobody"])).rejects.toMatchObject({ code: "unknown-project" });
  });

  test("neither store nor source: what is missing is said", async () => {
    await expect(read(["widgets"])).rejects.toMatchObject({ code: "source-missing", exit: Exit.environment });
  });

  test("a store that is no store", async () => {
    writeFileSync(env["DIGEST_DB"] ?? "", "no database ".repeat(200));
    await expect(read(["widgets"])).rejects.toMatchObject({
      code: "store-not-sqlite",
      exit: Exit.environment,
    });
  });
});

describe("--all", () => {
  test("is a table of all projects with a total", async () => {
    store(WIDGETS);
    const { stdout } = await read([], { options: { all: true } });
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows.map(([name]) => name)).toEqual(["project", "widgets", "tides", "TOTAL"]);
    expect(rows.at(-1)?.slice(1, 3)).toEqual(["3", "200,000"]);
  });

  test("has the same figures as the projects one by one", async () => {
    store(WIDGETS);
    const { projects, total } = JSON.parse((await read([], { options: { all: true }, json: true })).stdout);
    for (const { project, ...figures } of projects) {
      expect(figures).toEqual(JSON.parse((await read([project], { json: true })).stdout).economics);
    }
    expect(total.digestTokens).toBe(projects[0].digestTokens + projects[1].digestTokens);
  });

  test("without a store is empty", async () => {
    expect(JSON.parse((await read([], { options: { all: true }, json: true })).stdout)).toMatchObject({
      projects: [],
      total: { observations: 0, ratio: 0 },
    });
  });

  test("takes no project", async () => {
    await expect(read(["widgets"], { options: { all: true } })).rejects.toMatchObject({ exit: Exit.usage });
  });
});

const item = fc.record({
  text: fc.oneof(
    fc.string({ unit: "binary", maxLength: 600 }),
    fc.constantFrom("設定".repeat(300), "👩‍👩‍👧".repeat(75), "x".repeat(600), "t", "</persisted-memory>"),
  ),
  sources: fc.uniqueArray(fc.nat(), { maxLength: 5 }),
  rank: fc.double({ noNaN: true }),
  epoch: fc.integer({ min: -1e15, max: 1e15 }),
});
const cells = fc.dictionary(
  fc.constantFrom("decision", "gotcha", "what-changed", "other", "設定"),
  fc.array(item, { maxLength: 40 }),
  { maxKeys: 5 },
);

test("for any store the block keeps its budget and its units are said", async () => {
  const tiny = Array.from({ length: 1000 }, (_, at) => ({ text: `t${at}`, rank: at }));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      cells,
      fc.integer({ min: 500, max: 9900 }),
      fc.boolean(),
      async (content, budget, crowded) => {
        const project = `p${(runs += 1)}`;
        store({ [project]: crowded ? { ...content, pattern: tiny } : content });
        const own = { ...env, BLOCK_BUDGET: String(budget) };
        const object = JSON.parse((await read([project], { env: own, json: true })).stdout);
        expect(object.units).toBe(object.block.length);
        expect(object.units).toBeLessThanOrEqual(budget);
        expect(object.block === "").toBe(
          object.cells.every((cell: { items: unknown[] }) => cell.items.length === 0),
        );
      },
    ),
    { numRuns: 20 },
  );
});

test("a project that would fit into a block costs no more than it does as it is, and that is said", async () => {
  const rows = Array.from({ length: 6 }, (_, at) => ({
    project: "small",
    title: `The cache of service ${at} is bounded`,
    narrative: `Service ${at} kept every answer in a Map without a bound, which took ${at}00 MB until its restart. It is an LRU of ${at}000 entries now, and the restart at night was removed from cron.`,
    facts: JSON.stringify([`The cache of service ${at} is an LRU of ${at}000 entries`]),
    concepts: '["gotcha"]',
  }));
  using workshop = new Workshop(rows, { MERGE_MODEL: "extractive" });
  await workshop.build();
  const { economics } = JSON.parse(
    (await runCommand(run, { args: ["small"], env: workshop.env, json: true })).stdout,
  );
  expect(economics.underFloor).toBe(true);
  expect(economics.blockTokens).toBeGreaterThan(0);
  expect(economics.blockTokens).toBeLessThanOrEqual(economics.rawTokens);
  expect((await runCommand(run, { args: ["small"], env: workshop.env })).stderr).toContain(
    "would fit into the block",
  );
});
