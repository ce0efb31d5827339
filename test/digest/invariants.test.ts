import { copyFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FIRST_EPOCH, type SourceValues } from "../support/claude-mem.ts";
import { type Expectation, violations } from "../support/invariants.ts";
import { Workshop } from "../support/workshop.ts";

const PROJECTS = ["app", "lib", "web"];
const WORDS = ["decision", "gotcha", "pattern"];
const MERGES = ["mock", "extractive"];

/** The second paraphrases the first. */
const NARRATIVES = [
  "The worker restarts itself after the queue of the shared service was found full during the night",
  "The worker restarts itself after the queue of the shared service was found full again during the night",
];

const project = fc.constantFrom(...PROJECTS);
const concepts = fc.subarray([...WORDS, "unheard-of"]).map((words) => JSON.stringify(words));
const title = fc.nat({ max: 12 }).map((n) => `note ${n}`);

const row: fc.Arbitrary<SourceValues> = fc.record({
  project,
  concepts,
  title,
  narrative: fc.constantFrom(null, ...NARRATIVES),
  facts: fc.constant("[]"),
  created_at_epoch: fc.nat({ max: 100 }).map((n) => FIRST_EPOCH + n * 60_000),
});

/** Something that happens to a source, to the settings or in a build; `expected` is kept up with it. */
class Happening {
  readonly name: string;
  readonly act: (shop: Workshop, expected: Expectation) => unknown;

  constructor(name: string, act: Happening["act"]) {
    this.name = name;
    this.act = act;
  }

  toString(): string {
    return this.name;
  }
}

function inSource(sql: string): Happening {
  return new Happening(sql, (shop) => shop.change((db) => db.run(sql)));
}

/** Some row that is there. */
const aRow = fc
  .nat({ max: 1000 })
  .map(
    (n) =>
      `id = (SELECT id FROM observations ORDER BY id LIMIT 1 OFFSET ${n} % max(1, (SELECT count(*) FROM observations)))`,
  );

function setting(name: string, value: unknown, expectation: Partial<Expectation>): Happening {
  return new Happening(`${name}=${String(value)}`, (shop, expected) => {
    shop.env[name] = String(value);
    Object.assign(expected, expectation);
  });
}

function alias(pair: readonly [string, string] | null): Happening {
  return new Happening(`alias ${String(pair)}`, (shop, expected) => {
    shop.query("DELETE FROM aliases");
    if (pair !== null) shop.query(`INSERT INTO aliases VALUES ('${pair[0]}', '${pair[1]}')`);
    Object.assign(expected, { aliases: new Map(pair === null ? [] : [pair]) });
  });
}

function build(flags: Parameters<Workshop["build"]>[0]): Happening {
  return new Happening(`build ${JSON.stringify(flags)}`, (shop) => shop.build(flags));
}

const changes: fc.Arbitrary<Happening>[] = [
  fc
    .array(row, { minLength: 1, maxLength: 8 })
    .map((rows) => new Happening(`insert ${JSON.stringify(rows)}`, (shop) => shop.insert(rows))),
  aRow.map((which) => inSource(`DELETE FROM observations WHERE ${which}`)),
  fc
    .tuple(aRow, project)
    .map(([which, to]) => inSource(`UPDATE observations SET project = '${to}' WHERE ${which}`)),
  fc
    .tuple(aRow, project)
    .map(([which, to]) => inSource(`UPDATE observations SET merged_into_project = '${to}' WHERE ${which}`)),
  fc
    .tuple(aRow, concepts)
    .map(([which, to]) =>
      inSource(`UPDATE observations SET concepts = '${to}', sync_rev = sync_rev + 1 WHERE ${which}`),
    ),
  // not the first ones: by these a source is known
  fc
    .tuple(aRow, title)
    .map(([which, to]) => inSource(`UPDATE observations SET title = '${to}' WHERE id > 8 AND ${which}`)),
];

const settings: fc.Arbitrary<Happening>[] = [
  fc
    .constantFrom("primary", "all")
    .map((assign) => setting("ASSIGN", assign, { assign } as Partial<Expectation>)),
  fc.constantFrom(200, 220, 2400).map((cellBudget) => setting("CELL_BUDGET", cellBudget, { cellBudget })),
  fc
    .constantFrom(WORDS, ["pattern", "decision"])
    .map((vocabulary) => setting("CONCEPTS", vocabulary, { vocabulary })),
  fc.constantFrom([], ["lib"]).map((excluded) => setting("EXCLUDED_PROJECTS", excluded, { excluded })),
  fc.constantFrom<[string, string] | null>(null, ["web", "app"], ["app", "lib"]).map(alias),
];

const builds: fc.Arbitrary<Happening>[] = [
  fc.constant(build({})),
  fc.constant(build({ limitBatches: 1 })),
  fc.constantFrom("decision", "pattern", "other").map((type) => build({ type })),
];

const happening = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(...changes) },
  { weight: 1, arbitrary: fc.oneof(...settings) },
  { weight: 2, arbitrary: fc.oneof(...builds) },
);

const SETTINGS = { MAX_NEW_PER_RUN: "3", CONCEPTS: WORDS.join(",") };
const RUNS = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 25) };

test.each(MERGES)("whatever happens between builds, every row is accounted for: %s", async (merge) => {
  const property = fc.asyncProperty(
    fc.array(row, { maxLength: 12 }),
    fc.array(happening, { maxLength: 12 }),
    async (rows, happenings) => {
      using shop = new Workshop(rows, { ...SETTINGS, MERGE_MODEL: merge });
      const expected: Expectation = {
        vocabulary: WORDS,
        assign: "primary",
        excluded: [],
        aliases: new Map(),
        cellBudget: 2400,
        inheritsCells: true,
      };
      for (const { act } of happenings) await act(shop, expected);

      const { exit, doubt, totals, failures } = await shop.build({ acceptDeletions: true });
      expect({ exit, failures, doubt: doubt ?? null }).toEqual({ exit: 0, failures: [], doubt: null });
      expect(totals.observations).toBe(totals.folded + totals.duplicates + totals.skipped);
      expect(violations(shop.source, shop.store, expected)).toEqual([]);

      await shop.build({ rescan: true });
      expect(violations(shop.source, shop.store, { ...expected, inheritsCells: false })).toEqual([]);
      const bytes = shop.storeBytes();
      expect((await shop.build({ rescan: true })).totals.observations).toBe(0);
      expect((await shop.build()).totals.observations).toBe(0);
      expect(shop.storeBytes().equals(bytes)).toBe(true);
    },
  );
  await fc.assert(property, RUNS);
});

test.each(MERGES)("a batch at a time ends like all at once: %s", async (merge) => {
  const property = fc.asyncProperty(fc.array(row, { maxLength: 24 }), async (rows) => {
    using whole = new Workshop(rows, { ...SETTINGS, MERGE_MODEL: merge });
    using parts = new Workshop([], { ...SETTINGS, MERGE_MODEL: merge });
    copyFileSync(whole.source, parts.source);
    await whole.build();
    for (let left = 1; left > 0;) left = (await parts.build({ limitBatches: 1 })).totals.observations;
    expect(parts.cells()).toEqual(whole.cells());
    expect(ledgerOf(parts)).toEqual(ledgerOf(whole));
  });
  await fc.assert(property, RUNS);
});

function ledgerOf(shop: Workshop): unknown[] {
  return shop.query(
    "SELECT observation_id, digest_id, outcome, stands_for, reason FROM ledger ORDER BY observation_id, digest_id",
  );
}
