import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../src/commands/cluster.ts";
import { Exit } from "../../src/errors.ts";
import { openStore } from "../../src/store/open.ts";
import { type SourceValues, makeSource } from "../support/claude-mem.ts";
import { temporaryFolder } from "../support/cli.ts";
import { runCommand } from "../support/command.ts";

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

const row = (project: string, values: SourceValues = {}): SourceValues => ({
  project,
  type: "discovery",
  concepts: '["gotcha"]',
  title: `A title ${crypto.randomUUID()}`,
  narrative: "Some words about something that happened.",
  created_at_epoch: Date.UTC(2026, 4, 3),
  ...values,
});

const ROWS = [
  row("widgets"),
  row("widgets", { concepts: '["trade-off", "decision"]' }),
  row("widgets", { type: "decision", concepts: "[]", created_at_epoch: Date.UTC(2026, 3, 3) }),
  row("widgets", { concepts: '["performance", "gotcha"]' }),
  row("widgets", { concepts: '["performance"]', created_at_epoch: 0 }),
  row("widgets", { title: "the same" }),
  row("widgets", { title: "The same." }),
  row("tides"),
  row("tides", { type: "sensitive" }),
  row("observer-sessions"),
  row("widgets", { title: "", narrative: "" }),
];

async function cluster(rows: readonly SourceValues[]) {
  makeSource(env["CLAUDE_MEM_DB"] ?? "", rows);
  return JSON.parse((await runCommand(run, { env, json: true })).stdout);
}

test("rows are counted by project and by the cell that they would go to", async () => {
  const { rows, projects } = await cluster(ROWS);
  expect(rows).toBe(ROWS.length);
  expect(
    projects.map(({ project, rows: n, share, duplicates }: Record<string, unknown>) => [
      project,
      n,
      share,
      duplicates,
    ]),
  ).toEqual([
    ["widgets", 7, 0.636, 1],
    ["tides", 1, 0.091, 0],
  ]);
  const types = Object.fromEntries(
    projects[0].types.map(({ type, rows: n }: { type: string; rows: number }) => [type, n]),
  );
  expect(types).toEqual({ gotcha: 4, decision: 2, other: 1 });
  expect(projects[0].tokens).toBeGreaterThan(40);
});

test("what would be left out is told with its reason and its projects", async () => {
  const { leftOut, rows, projects } = await cluster(ROWS);
  expect(leftOut).toEqual([
    { reason: "sensitive", rows: 1, projects: { tides: 1 } },
    { reason: "junk-project", rows: 1, projects: { "observer-sessions": 1 } },
    { reason: "empty", rows: 1, projects: { widgets: 1 } },
  ]);
  const sum = (list: { rows: number }[]) => list.reduce((all, one) => all + one.rows, 0);
  expect(sum(leftOut) + sum(projects)).toBe(rows);
});

test("tags without a cell, rows without a tag, and months", async () => {
  const { foreignTags, untagged, months } = await cluster(ROWS);
  expect(foreignTags).toEqual([{ tag: "performance", rows: 2 }]);
  expect(untagged).toBe(1);
  expect(months).toEqual([
    { month: "unknown", rows: 1 },
    { month: "2026-04", rows: 1 },
    { month: "2026-05", rows: 6 },
  ]);
});

test("the vocabulary, exclusions and aliases that a build would use are used", async () => {
  env["CONCEPTS"] = "performance";
  env["EXCLUDED_PROJECTS"] = "wid*";
  const store = openStore(env["DIGEST_DB"] ?? "");
  store.client.run("INSERT INTO aliases VALUES ('tides', 'tide-charts')");
  store.close();
  const { projects, leftOut } = await cluster([
    row("widgets"),
    row("tides", { concepts: '["performance"]' }),
  ]);
  expect(projects).toMatchObject([{ project: "tide-charts", types: [{ type: "performance", rows: 1 }] }]);
  expect(leftOut).toMatchObject([{ reason: "excluded-project", rows: 1 }]);
});

test("a person sees it on one screen, however many projects there are", async () => {
  makeSource(
    env["CLAUDE_MEM_DB"] ?? "",
    Array.from({ length: 90 }, (_, at) => row(`project-${at % 45}`, { concepts: `["tag-${at}"]` })),
  );
  const { exit, stdout } = await runCommand(run, { env });
  expect(exit).toBe(Exit.done);
  expect(stdout.split("\n").length).toBeLessThan(60);
  expect(stdout).toContain("30 more");
  expect(stdout).toMatch(/tag-\d+ 1, and 80 more tags/);
});

test("a source without a row is no error", async () => {
  const { rows, projects, months } = await cluster([]);
  expect({ rows, projects, months }).toEqual({ rows: 0, projects: [], months: [] });
  expect((await runCommand(run, { env })).stdout).toContain("0 rows in 0 projects");
});
