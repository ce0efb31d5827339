import { copyFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { Workshop } from "../support/workshop.ts";
import { exampleRows, killedBuild, signalledBuild } from "../support/killed-build.ts";

/** A handful here; many in test/real. */
const KILLS = 6;

test("a build that is killed anywhere and run again ends like an undisturbed one", async () => {
  using undisturbed = new Workshop(exampleRows(400), { MERGE_MODEL: "extractive", MAX_NEW_PER_RUN: "10" });
  await undisturbed.build();
  using killed = new Workshop(exampleRows(400), { MERGE_MODEL: "extractive", MAX_NEW_PER_RUN: "10" });
  copyFileSync(undisturbed.source, killed.source);
  for (let kill = 0; kill < KILLS; kill++) await killedBuild(killed, 20 + kill * 60);
  const { exit } = await killed.build();
  expect(exit).toBe(0);
  expect(killed.cells()).toEqual(undisturbed.cells());
});

test("of two builds at once the second says who holds the lock and does nothing", async () => {
  using shop = new Workshop(exampleRows(300), { MERGE_MODEL: "extractive", MAX_NEW_PER_RUN: "2" });
  const env = {
    CLAUDE_MEM_DB: shop.source,
    DIGEST_DB: shop.store,
    MERGE_MODEL: "extractive",
    MAX_NEW_PER_RUN: "2",
  };
  const runs = await Promise.all(
    Array.from({ length: 3 }, () => runCli(["build", "--json"], { home: shop.folder, env })),
  );
  const objects = runs.map(
    (run) =>
      JSON.parse(run.stdout) as { locked?: { pid: number; since: string }; totals: { folded: number } },
  );
  expect(runs.map((run) => run.code)).toEqual([0, 0, 0]);
  expect(objects.reduce((sum, object) => sum + object.totals.folded, 0)).toBe(300);
  const locked = objects.flatMap((object) => object.locked ?? []);
  for (const holder of locked)
    expect(holder).toEqual({ pid: expect.any(Number), since: expect.stringMatching(/^\d{4}-/) });
  expect(locked).toHaveLength(2);
});

test("Ctrl-C rolls back the batch in hand, says what was done, and the next build goes on", async () => {
  const settings = { MERGE_MODEL: "extractive", MAX_NEW_PER_RUN: "5" };
  using undisturbed = new Workshop(exampleRows(3000), settings);
  expect(await undisturbed.build()).toMatchObject({ exit: 0, failures: [] });
  using stopped = new Workshop([], settings);
  copyFileSync(undisturbed.source, stopped.source);
  const { code, stdout } = await signalledBuild(stopped, 300, "SIGINT");
  expect(code).toBe(130);
  const { totals } = JSON.parse(stdout) as {
    totals: { observations: number; folded: number; duplicates: number; skipped: number };
  };
  expect(totals.observations).toBe(totals.folded + totals.duplicates + totals.skipped);
  expect(totals.observations).toBeLessThan(3000);
  await stopped.build();
  expect(stopped.cells()).toEqual(undisturbed.cells());
});
