import type { Database } from "bun:sqlite";
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Mass,
  changedRevisions,
  fingerprint,
  identity,
  massOf,
  recognise,
  shape,
} from "../../src/source/changes.ts";
import { readAfter } from "../../src/source/observations.ts";
import { type Source, openSource } from "../../src/source/open.ts";
import { sourceStamp } from "../../src/source/stamp.ts";
import {
  type SourceValues,
  VERSIONS,
  insertObservations,
  makeSource,
  openWriter,
} from "../support/claude-mem.ts";

let folder: string;
let path: string;
let source: Source;
let writer: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "source-changes-"));
  path = join(folder, "claude-mem.db");
});

afterEach(() => {
  writer?.close();
  source?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the source and a writer beside it. */
function start(rows: readonly SourceValues[], options = {}): void {
  makeSource(path, rows, options);
  writer = openWriter(path);
  source = openSource(path);
}

const ROW = {
  title: "t",
  subtitle: "s",
  narrative: "n",
  facts: '["f"]',
  text: "x",
  project: "p",
  concepts: '["gotcha"]',
};

describe("fingerprint", () => {
  const of = () => readAfter(source, 0, 1).map(fingerprint)[0];

  it("is what it was in every later release", () => {
    start([ROW]);
    // Stored in ledgers: another value would make every row of every user a new one.
    expect(of()).toBe(687_515_861_303_680);
  });

  it.each(["title", "subtitle", "narrative", "facts", "text", "created_at_epoch"])(
    "changes with %s",
    (column) => {
      start([ROW]);
      const before = of();
      writer.run(`UPDATE observations SET ${column} = ${column === "created_at_epoch" ? 5e12 : "'other'"}`);
      expect(of()).not.toBe(before);
    },
  );

  it.each(["project", "merged_into_project", "concepts", "type", "sync_rev"])(
    "does not change with %s",
    (column) => {
      start([ROW]);
      const before = of();
      writer.run(`UPDATE observations SET ${column} = 'other'`);
      expect(of()).toBe(before);
    },
  );

  it("tells texts apart that only their borders divide", () => {
    start([
      { title: "ab", subtitle: "c" },
      { title: "a", subtitle: "bc", created_at_epoch: 1_767_268_800_000 },
    ]);
    const [one, two] = readAfter(source, 0, 2).map((row) => fingerprint({ ...row, epoch: 0 }));
    expect(one).not.toBe(two);
  });

  it("notices a change behind the head of a giant", () => {
    start([{ narrative: "x".repeat(100_000) }]);
    const before = of();
    writer.run("UPDATE observations SET narrative = narrative || 'y'");
    expect(of()).not.toBe(before);
  });
});

describe("identity", () => {
  const rows = Array.from({ length: 20 }, (_, index) => ({ title: `row ${index}` }));

  it.each<[string, string[], ReturnType<typeof recognise>]>([
    ["nothing happened", [], "same"],
    [
      "rows were added",
      [
        "INSERT INTO observations (memory_session_id, project, type, created_at, created_at_epoch) VALUES ('s','p','t','',1)",
      ],
      "same",
    ],
    ["the first rows were deleted", ["DELETE FROM observations WHERE id < 8"], "same"],
    ["projects and tags changed", ["UPDATE observations SET project = 'q', concepts = '[]'"], "same"],
    ["a title was edited", ["UPDATE observations SET title = 'edited' WHERE id = 1"], "same"],
    ["another store lies there", ["UPDATE observations SET title = 'other ' || id"], "other"],
    ["all marked rows are gone", ["DELETE FROM observations WHERE id < 9"], "unknown"],
  ])("%s: %s", (_, statements, verdict) => {
    start(rows);
    const marks = identity(source);
    expect(marks).toHaveLength(8);
    for (const statement of statements) writer.run(statement);
    expect(recognise(source, marks)).toBe(verdict);
  });

  it("of an empty source is empty, and recognises nothing", () => {
    start([]);
    expect(identity(source)).toEqual([]);
    expect(recognise(source, [])).toBe("unknown");
  });

  it("works without a title", () => {
    start([{ narrative: "n" }], { without: ["title"] });
    expect(recognise(source, identity(source))).toBe("same");
  });
});

describe("shape", () => {
  function sumUp(ids: readonly number[]): Mass {
    return ids
      .map(massOf)
      .reduce((a, b) => ({ count: a.count + b.count, sum: a.sum + b.sum, moment: a.moment + b.moment }), {
        count: 0,
        sum: 0,
        moment: 0,
      });
  }

  it("is what the ids of each project sum up to, merged rows where they went", () => {
    const name = fc.constantFrom("a", "b", "c");
    const merged = fc.constantFrom(null, "", "a", "d");
    const rows = fc.uniqueArray(
      fc.record({ id: fc.integer({ min: 1, max: 2 ** 40 }), project: name, merged_into_project: merged }),
      {
        selector: (row) => row.id,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(rows, (some) => {
        const any = openSource(makeSource(join(folder, `${crypto.randomUUID()}.db`), some));
        try {
          const expected = Map.groupBy(some, (row) => row.merged_into_project || row.project);
          const { projects, maxId, count } = shape(any);
          expect([...projects.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
          expect([count, maxId]).toEqual([some.length, Math.max(0, ...some.map((row) => row.id))]);
          for (const [project, its] of expected) {
            expect(projects.get(project)).toEqual(sumUp(its.map((row) => row.id)));
          }
        } finally {
          any.close();
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ["a delete", "DELETE FROM observations WHERE id = 3"],
    ["a move", "UPDATE observations SET project = 'q' WHERE id = 1"],
    ["an adoption", "UPDATE observations SET merged_into_project = 'q' WHERE id = 1"],
    [
      "a trade of the same count and sum",
      "UPDATE observations SET project = CASE WHEN id IN (1, 4) THEN 'q' ELSE 'p' END",
    ],
  ])("notices %s", (_, statement) => {
    // q has 2 and 3, after the trade 1 and 4: the same number and the same sum.
    start([1, 2, 3, 4, 5].map((id) => ({ id, title: "t", project: [2, 3].includes(id) ? "q" : "p" })));
    const before = [...shape(source).projects];
    writer.run(statement);
    expect([...shape(source).projects]).not.toEqual(before);
  });

  it("takes ids near the end of what SQLite can hold", () => {
    start([2 ** 53 - 1, 2 ** 53 - 2, 2 ** 53 - 3].map((id) => ({ id, title: "t" })));
    writer.run(
      "INSERT INTO observations (id, memory_session_id, project, type, created_at, created_at_epoch) VALUES (9223372036854775806, 's', 'demo', 't', '', 1)",
    );
    expect(shape(source)).toMatchObject({ count: 3, maxId: 2 ** 53 - 1 });
  });

  it.each(Object.keys(VERSIONS))("never reads the table itself in %s", (version) => {
    start([ROW], { version });
    const plans: string[] = [];
    const spy: Source = {
      ...source,
      all: <Row>(sql: string, ...bindings: never[]) => {
        const plan = source.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...bindings);
        plans.push(...plan.map((step) => step.detail));
        return source.all<Row>(sql, ...bindings);
      },
    };
    shape(spy);
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) {
      expect(plan).toMatch(/USING (COVERING )?INDEX idx_observations_(project|merged_into)/);
      if (plan.includes("idx_observations_project")) expect(plan).toContain("COVERING");
    }
  });
});

describe("revisions", () => {
  it("lists changed rows of a range with their revision", () => {
    start([1, 2, 3, 4].map((id) => ({ id, title: "t", sync_rev: id === 3 ? "12" : id === 4 ? "7" : "1" })));
    expect([...changedRevisions(source, 1, 3)]).toEqual([[3, 12]]);
  });

  it("knows no revisions in older schemas", () => {
    start([ROW], { version: "13.4.0" });
    expect(changedRevisions(source, 1, 9).size).toBe(0);
  });
});

describe("stamp", () => {
  const LATER = Date.now() + 3_600_000;
  const key = () => sourceStamp(path, LATER)?.key;

  it.each([
    ["closed", () => makeSource(path, [ROW])],
    [
      "live",
      () => {
        start([ROW]);
        insertObservations(writer, [ROW]);
      },
    ],
  ])("is the same while nothing is written, readers or not: %s", (_, make) => {
    make();
    const before = key();
    const reader = openSource(path);
    readAfter(reader, 0, 10);
    expect(key()).toBe(before);
    reader.close();
    expect(key()).toBe(before);
  });

  it("changes with a commit that is in the -wal alone, and with the next of the same length", () => {
    start([ROW]);
    const seen = new Set([key()]);
    for (let round = 0; round < 3; round++) {
      insertObservations(writer, [{ title: `round ${round}` }]);
      seen.add(key());
      writer.run("PRAGMA wal_checkpoint(RESTART)");
    }
    expect(seen.size).toBe(4);
  });

  it("notices a file that took the place of another with its time and size", () => {
    makeSource(path, [{ title: "aaa" }]);
    const other = makeSource(join(folder, "other.db"), [{ title: "bbb" }]);
    const then = new Date(2026, 0, 1);
    for (const file of [path, other]) utimesSync(file, then, then);
    const before = key();
    copyFileSync(other, path);
    utimesSync(path, then, then);
    expect(key()).not.toBe(before);
  });

  it("is settled only when the newest change is two seconds old", () => {
    makeSource(path, [ROW]);
    expect(sourceStamp(path, Date.now())?.settled).toBe(false);
    expect(sourceStamp(path, Date.now() + 2500)?.settled).toBe(true);
    writeFileSync(`${path}-wal`, "");
    appendFileSync(`${path}-wal`, "x");
    expect(sourceStamp(path, Date.now())?.settled).toBe(false);
  });

  it("is null for what is not there", () => {
    expect(sourceStamp(join(folder, "none.db"), LATER)).toBeNull();
  });
});
