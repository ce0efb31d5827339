import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../src/commands/status.ts";
import { Exit } from "../../src/errors.ts";
import { openStore } from "../../src/store/open.ts";
import { runCommand } from "../support/command.ts";
import { Workshop } from "../support/workshop.ts";

let workshop: Workshop;
beforeEach(() => {
  workshop = new Workshop([
    { project: "widgets", title: "Postgres holds the queue", concepts: '["decision"]' },
    { project: "widgets", title: "Clocks drift", concepts: '["gotcha"]' },
    { project: "widgets", title: "clocks drift.", concepts: '["gotcha"]' },
    { project: "tides", title: "Curves are SVG", concepts: '["decision"]' },
  ]);
});
afterEach(() => workshop[Symbol.dispose]());

const status = async (args: readonly string[] = []) =>
  JSON.parse((await runCommand(run, { args, env: workshop.env, json: true })).stdout);
const text = async () => (await runCommand(run, { env: workshop.env })).stdout;

function settle(sql: string): void {
  const store = openStore(workshop.store);
  store.client.run(sql);
  store.close();
}

test("before the first build there is nothing, and nothing is made", async () => {
  expect(await status()).toMatchObject({ projects: [], failures: [], lastRun: null, lastBuild: null });
  expect((await runCommand(run, { env: workshop.env })).stderr).toContain("build");
  expect(await Bun.file(workshop.store).exists()).toBe(false);
});

test("each cell says how far it is", async () => {
  await workshop.build();
  const { projects, lastRun, lastBuild, store } = await status();
  expect(store).toBe(workshop.store);
  expect(lastBuild).toMatchObject({ outcome: "done" });
  expect(lastRun).toMatchObject({
    model: "mock",
    outcome: "done",
    folded: 3,
    duplicates: 1,
    skipped: 0,
    startedAt: expect.stringMatching(/Z$/),
  });
  expect(
    projects.map(({ project, observations, behind }: Record<string, unknown>) => [
      project,
      observations,
      behind,
    ]),
  ).toEqual([
    ["widgets", 3, 0],
    ["tides", 1, 0],
  ]);
  expect(projects[0].cells).toMatchObject([
    { type: "decision", rows: 1, items: 1, revision: 1, behind: 0, budget: 2400, watermark: { id: 1 } },
    { type: "gotcha", rows: 2, items: 1, revision: 1, behind: 0, budget: 2400 },
  ]);
});

test("rows that wait are counted", async () => {
  workshop.insert([
    { project: "widgets", title: "One more", concepts: '["gotcha"]' },
    { project: "widgets", title: "And one more", concepts: '["gotcha"]' },
  ]);
  workshop.env["MAX_NEW_PER_RUN"] = "1";
  await workshop.build({ limitBatches: 1 });
  const { projects } = await status(["widgets"]);
  expect(projects[0].behind).toBeGreaterThan(0);
  expect(await text()).toMatch(/not folded yet: widgets \d/);
});

test("a build with nothing to do is the last one, the run before it stays told", async () => {
  await workshop.build();
  await workshop.build();
  expect((await status()).lastBuild).toMatchObject({ outcome: "nothing-new" });
  expect(await text()).toMatch(/last build .*: nothing new; before that .*3 rows folded/);
});

test("failures are shown until they are settled", async () => {
  await workshop.build();
  settle(
    "INSERT INTO failures (run_id, at, project, type, code, reason, findings) VALUES (1, 1777777777000, 'widgets', 'gotcha', 'gate', 'a number that no input has', '[\"42\"]')",
  );
  expect((await status()).failures).toEqual([
    {
      project: "widgets",
      type: "gotcha",
      code: "gate",
      reason: "a number that no input has",
      at: new Date(1_777_777_777_000).toISOString(),
      findings: ["42"],
    },
  ]);
  expect((await status(["tides"])).failures).toEqual([]);
  expect(await text()).toContain("widgets · gotcha failed on 2026-05-03 (gate): a number that no input has");
  settle("UPDATE failures SET settled = 1");
  expect((await status()).failures).toEqual([]);
});

test("a project that was never built is a usage error with near names", async () => {
  await workshop.build();
  await expect(status(["widget"])).rejects.toMatchObject({
    exit: Exit.usage,
    code: "unknown-project",
    hint: expect.stringContaining("widgets"),
  });
});
