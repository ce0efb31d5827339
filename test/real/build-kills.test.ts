import { copyFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { exampleRows, killedBuild } from "../support/killed-build.ts";
import { Workshop } from "../support/workshop.ts";

const KILLS = 50;
/** Rows enough that no build ends before its kill. */
const ROWS = 6000;
const SETTINGS = { MERGE_MODEL: "extractive", MAX_NEW_PER_RUN: "10" };

test(`a build killed at ${KILLS} random moments and run again ends like an undisturbed one`, async () => {
  using undisturbed = new Workshop(exampleRows(ROWS), SETTINGS);
  await undisturbed.build();
  using killed = new Workshop([], SETTINGS);
  copyFileSync(undisturbed.source, killed.source);
  let hits = 0;
  for (const ms of fc.sample(fc.integer({ min: 0, max: 300 }), KILLS))
    if (await killedBuild(killed, ms)) hits += 1;
  const { exit } = await killed.build();
  expect(exit).toBe(0);
  expect(hits).toBeGreaterThan(KILLS / 2);
  expect(killed.cells()).toEqual(undisturbed.cells());
  const ledger = "SELECT observation_id, digest_id, outcome, stands_for, revision FROM ledger ORDER BY 1, 2";
  expect(killed.query(ledger)).toEqual(undisturbed.query(ledger));
});
