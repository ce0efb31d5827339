import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { baseAt } from "../../src/knowledge/base.ts";
import { lintBase } from "../../src/knowledge/lint.ts";
import { changedLogs, loadBase, settleBase } from "../../src/knowledge/loaded.ts";
import { readQueue } from "../../src/knowledge/queue.ts";
import { factsIn, queueCapture } from "./captures.ts";
import { temporaryFolder } from "./cli.ts";
import { knowledgeChild, timed } from "./killing.ts";
import { dailyLog, writeBase } from "./small-base.ts";

/** Flushes of a few sessions, killed at so many moments spread over a whole run, each time gone on with: no entry lost or doubled. */
export async function killFlushes(kills: number): Promise<number> {
  const sessions = 6;
  const model = { modelMs: 15 };
  let killed = 0;
  const whole = await inPlace(async (place) => {
    fill(place, sessions);
    return timed(() => knowledgeChild("flush", place, model));
  });
  for (let n = 0; n < kills; n++) {
    await inPlace(async (place) => {
      fill(place, sessions);
      const end = await knowledgeChild("flush", place, { ...model, killAfter: (whole * (n + 1)) / kills });
      if (end.killed) killed += 1;
      for (const [, times] of factsIn(place.base)) expect(times).toBe(1);
      expect((await knowledgeChild("flush", place)).code).toBe(0);
      expect(readQueue(place.state)).toEqual([]);
      const facts = factsIn(place.base);
      expect(facts.size).toBe(sessions * 3);
      for (const [, times] of facts) expect(times).toBe(1);
      expect(readdirSync(join(place.base, "daily")).filter((name) => !/^[\d-]+\.md$/.test(name))).toEqual([]);
    });
  }
  return killed;
}

/** Compiles of a few logs, killed and gone on with: at every moment the base is one that some whole compile made. */
export async function killCompiles(kills: number): Promise<number> {
  const days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
  const model = { modelMs: 15 };
  const logs = Object.fromEntries(days.map((day) => [`daily/${day}.md`, dailyLog(day, [`fact of ${day}`])]));
  let killed = 0;
  const whole = await inPlace(async (place) => {
    writeBase(place.base, logs);
    return timed(() => knowledgeChild("compile", place, model));
  });
  for (let n = 0; n < kills; n++) {
    await inPlace(async (place) => {
      const base = writeBase(place.base, logs);
      const end = await knowledgeChild("compile", place, { ...model, killAfter: (whole * (n + 1)) / kills });
      if (end.killed) killed += 1;
      settleBase(base, place.state);
      expectSound(place.base, days);
      expect((await knowledgeChild("compile", place)).code).toBe(0);
      expectSound(place.base, days);
      expect(changedLogs(loadBase(base))).toEqual([]);
      expect(loadBase(base).articles.map(({ path }) => path)).toEqual([
        ...days.map((day) => `concepts/day-${day}`),
        "concepts/shared",
      ]);
    });
  }
  return killed;
}

/** Articles, index, log and record tell of the same compiles. */
function expectSound(root: string, days: readonly string[]): void {
  const loaded = loadBase(baseAt(root));
  expect(existsSync(join(loaded.base.knowledge, ".staging"))).toBe(false);
  const errors = lintBase(loaded).filter(({ level }) => level === "error");
  expect(errors).toEqual([]);
  const compiled = days.filter((day) => !changedLogs(loaded).includes(`${day}.md`));
  const pages = loaded.articles
    .filter(({ path }) => path !== "concepts/shared")
    .map(({ path }) => path.slice("concepts/day-".length));
  expect(pages).toEqual(compiled);
  const shared = loaded.articles.find(({ path }) => path === "concepts/shared");
  expect(shared?.front.sources ?? []).toEqual(compiled.map((day) => `daily/${day}.md`));
  expect(lintBase(loaded).filter(({ check }) => check === "stale-article")).toEqual([]);
}

function fill(place: { state: string; base: string }, sessions: number): void {
  for (let n = 0; n < sessions; n++) queueCapture(place.state, { base: place.base, session: `s${n}` });
}

async function inPlace<Result>(
  run: (place: { state: string; base: string }) => Promise<Result>,
): Promise<Result> {
  using folder = temporaryFolder();
  return await run({ state: join(folder.path, "state"), base: join(folder.path, "base") });
}
