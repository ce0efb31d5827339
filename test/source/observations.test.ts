import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Observation } from "../../src/digest/observation.ts";
import { fingerprint } from "../../src/source/changes.ts";
import {
  FIELD_UNITS,
  type SourceRow,
  readAfter,
  readByIds,
  rowPolicy,
  skipReason,
  toObservation,
} from "../../src/source/observations.ts";
import { type Source, openSource } from "../../src/source/open.ts";
import { placeProjects } from "../../src/source/projects.ts";
import { cleanText } from "../../src/text/clean.ts";
import { redact } from "../../src/text/redact.ts";
import { normaliseTag, tagsOf } from "../../src/source/tags.ts";
import {
  FIRST_EPOCH,
  type SourceValues,
  VERSIONS,
  insertObservations,
  makeSixColumnSource,
  makeSource,
} from "../support/claude-mem.ts";

let folder: string;
let path: string;
let source: Source | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "source-rows-"));
  path = join(folder, "claude-mem.db");
});

afterEach(() => {
  source?.close();
  source = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const policy = rowPolicy(
  placeProjects({ aliases: new Map([["old", "new"]]), excluded: ["secret-*"], excludedFolders: [] }),
  ["sensitive", "security_note"],
);

function rowsOf(values: readonly SourceValues[], options = {}): SourceRow[] {
  source = openSource(makeSource(path, values, options));
  return readAfter(source, 0, 1000);
}

function rowOf(values: SourceValues): SourceRow {
  const [row] = rowsOf([values]);
  if (row === undefined) throw new Error("no row");
  return row;
}

function observationOf(values: SourceValues): Observation {
  return toObservation(rowOf(values), policy).observation;
}

const FULL = {
  project: "demo",
  type: "decision",
  title: "Switched to SQLite",
  subtitle: "one file",
  narrative: "We switched from Postgres to SQLite.",
  facts: '["port 5432 is free","one file"]',
  concepts: '["trade-off","Why It_Exists: because"]',
};

const AS_OBSERVATION = {
  id: 1,
  project: "demo",
  type: "decision",
  concepts: ["trade-off", "why-it-exists"],
  title: "Switched to SQLite",
  subtitle: "one file",
  narrative: "We switched from Postgres to SQLite.",
  facts: ["port 5432 is free", "one file"],
  text: "",
  epoch: FIRST_EPOCH,
};

describe("schemas", () => {
  it.each(Object.keys(VERSIONS))("reads the rows of claude-mem %s", (version) => {
    const [row] = rowsOf([FULL], { version });
    expect(row && toObservation(row, policy)).toEqual({ observation: AS_OBSERVATION, masked: 0 });
  });

  it.each([
    [["merged_into_project"]],
    [["sync_rev"]],
    [["merged_into_project", "sync_rev", "content_hash", "metadata"]],
    [["concepts"]],
    [["type"]],
    [["subtitle", "facts", "text"]],
  ])("reads a half-migrated table without %s", (without) => {
    const kept = Object.fromEntries(Object.entries(FULL).filter(([name]) => !without.includes(name)));
    const [row] = rowsOf([kept], { without });
    const observation = row && toObservation(row, policy).observation;
    expect(observation).toMatchObject({
      id: 1,
      project: "demo",
      title: FULL.title,
      narrative: FULL.narrative,
    });
  });

  it("reads the six columns of the first version, by rowid", () => {
    const { type: _, subtitle: __, ...six } = FULL;
    source = openSource(makeSixColumnSource(path, [six, { ...six, title: "second" }]));
    const rows = readAfter(source, 1, 10);
    expect(rows.map((row) => row.id)).toEqual([2]);
    expect(rows[0] && toObservation(rows[0], policy).observation).toEqual({
      ...AS_OBSERVATION,
      id: 2,
      title: "second",
      type: "",
      subtitle: "",
      epoch: FIRST_EPOCH + 60_000,
    });
  });

  it("takes the rowid where `id` is no key", () => {
    const db = new Database(path, { create: true });
    db.run("CREATE TABLE observations (id TEXT, project TEXT, title TEXT, created_at_epoch INTEGER)");
    insertObservations(db, [{ id: "uuid", title: "t" }]);
    db.close();
    source = openSource(path);
    expect(readAfter(source, 0, 10).map((row) => row.id)).toEqual([1]);
  });

  it("does not mind the case of column names", () => {
    const db = new Database(path, { create: true });
    db.run(
      "CREATE TABLE observations (ID INTEGER PRIMARY KEY, Project TEXT, TITLE TEXT, Created_At_Epoch INTEGER)",
    );
    db.run("INSERT INTO observations VALUES (7, 'p', 't', 1800000000000)");
    db.close();
    source = openSource(path);
    expect(readAfter(source, 0, 10)).toMatchObject([{ id: 7, project: "p", title: "t", epoch: 18e11 }]);
  });
});

describe("paging", () => {
  const ids = [1, 2, 5, 900, 4_000_000_000, Number.MAX_SAFE_INTEGER];

  it("gives every row once, by id, however small the page", () => {
    source = openSource(
      makeSource(
        path,
        ids.map((id) => ({ id, title: `row ${id}` })),
      ),
    );
    const seen: number[] = [];
    for (let last = 0; ;) {
      const page = readAfter(source, last, 2);
      if (page.length === 0) break;
      seen.push(...page.map((row) => row.id));
      last = page.at(-1)?.id ?? last;
    }
    expect(seen).toEqual(ids);
  });

  it("ends although ids are there that a number cannot hold", () => {
    const rows = [{ id: 9_007_199_254_740_993n }, { id: 9_007_199_254_740_995n }, { id: -5 }, { id: 3 }];
    expect(rowsOf(rows).map((row) => row.id)).toEqual([3]);
  });

  it("reads by id in any number and order, without those that are gone", () => {
    source = openSource(
      makeSource(
        path,
        Array.from({ length: 1300 }, (_, index) => ({ id: index * 2 + 1, title: "t" })),
      ),
    );
    const asked = Array.from({ length: 2600 }, (_, index) => 2600 - index);
    expect(readByIds(source, asked).map((row) => row.id)).toEqual(
      Array.from({ length: 1300 }, (_, index) => index * 2 + 1),
    );
    expect(readByIds(source, [])).toEqual([]);
  });

  it("uses the key for both", () => {
    source = openSource(makeSource(path, []));
    const plan = (sql: string) =>
      source
        ?.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .map((row) => row.detail)
        .join();
    const { select } = source.columns;
    expect(plan(`SELECT ${select} FROM observations WHERE id BETWEEN 5 AND 9 ORDER BY id LIMIT 2`)).toMatch(
      /^SEARCH observations USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/,
    );
  });
});

describe("epochs", () => {
  it.each<[unknown, number]>([
    [1_800_000_000_000, 1_800_000_000_000],
    [1_800_000_000, 1_800_000_000_000],
    [1_800_000_000.5, 1_800_000_000_500],
    ["1800000000", 1_800_000_000_000],
    ["2026-01-01T00:00:00Z", Date.UTC(2026, 0, 1)],
    [0, 0],
    [-5, 0],
    ["yesterday", 0],
    ["", 0],
    [new Uint8Array([1, 2]), 0],
    [Number.POSITIVE_INFINITY, 0],
    [9e18, 8.64e15],
  ])("%j is %d", (value, epoch) => {
    expect(rowOf({ title: "t", created_at_epoch: value as SourceValues[string] }).epoch).toBe(epoch);
  });
});

describe("tags", () => {
  it.each<[string | null, string[]]>([
    [null, []],
    ["", []],
    ["[]", []],
    ["null", ["null"]],
    ['["gotcha","pattern"]', ["gotcha", "pattern"]],
    ['"gotcha"', ["gotcha"]],
    ['"gotcha, pattern"', ["gotcha", "pattern"]],
    ["gotcha, pattern", ["gotcha", "pattern"]],
    ["gotcha", ["gotcha"]],
    [
      '["gotcha: WASM quirk","Trade Off","how_it  works"," gotcha "]',
      ["gotcha", "trade-off", "how-it-works"],
    ],
    ['{"a":"gotcha","b":["pattern"],"c":null}', ["gotcha", "pattern"]],
    ['["gotcha","pat', ["gotcha"]],
    ['[1,null,["x"]]', ["1", "x"]],
    ["{broken", ["{broken"]],
    ['["知識: 種類"]', ["知識"]],
    ['["go\\u0000tcha"]', ["gotcha"]],
  ])("%j are %j", (concepts, tags) => {
    expect(tagsOf(rowOf({ title: "t", concepts }).concepts)).toEqual(tags);
  });

  it("are bounded in number and length", () => {
    const many = tagsOf(
      JSON.stringify(Array.from({ length: 500 }, (_, index) => `${"x".repeat(200)}${index}`)),
    );
    expect(many).toEqual(["x".repeat(60)]);
    expect(tagsOf(JSON.stringify(Array.from({ length: 500 }, (_, index) => `t${index}`)))).toHaveLength(30);
  });

  it("are the same when normalised again", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (tag) => normaliseTag(normaliseTag(tag)) === normaliseTag(tag),
      ),
    );
  });
});

describe("facts", () => {
  it.each<[string | null, string[]]>([
    [null, []],
    ["", []],
    ["[]", []],
    ['["one","two"]', ["one", "two"]],
    ['["one","",null,2]', ["one", "2"]],
    ["plain text fact", ["plain text fact"]],
    ['"a string"', ["a string"]],
    ['{"a":"one","b":{"c":"two"}}', ["one", "two"]],
    ['{"a":1}', ["1"]],
    ['["one", "tw', ["one"]],
    ['["a \\"quoted\\" one", broken', ['a "quoted" one']],
    ["[see ticket 12] it failed", ["[see ticket 12] it failed"]],
    [`${"[".repeat(30_000)}"deep"${"]".repeat(30_000)}`, []],
  ])("%j are %j", (facts, list) => {
    expect(observationOf({ title: "t", facts }).facts).toEqual(list);
  });
});

describe("texts", () => {
  it.each<[string, SourceValues[string], string]>([
    ["numbers", 42, "42"],
    ["blobs", new TextEncoder().encode("bytes é"), "bytes é"],
    ["NULL", null, ""],
    ["control characters", "a\u0000b\u0007c\u0085d\te\nf\r\ng", "abcd\te\nf\ng"],
    ["terminal colours", "\u001b[31mred\u001b[0m", "red"],
    ["lone surrogates", "x\ud800y", "x\ufffdy"],
    ["emoji and scripts", "👩‍💻 日本語 עברית", "👩‍💻 日本語 עברית"],
  ])("%s", (_, narrative, text) => {
    expect(observationOf({ title: "t", narrative }).narrative).toBe(text);
  });

  it("has lone surrogates out of JSON too", () => {
    expect(observationOf({ title: "t", facts: '["x\\ud800y"]' }).facts).toEqual(["x\ufffdy"]);
  });

  it("keeps the head of a giant and says so", () => {
    const giant = `begins here ${"word ".repeat(2_000_000)}`;
    const row = rowOf({ title: "t", narrative: giant, facts: giant, text: giant });
    expect(row.narrative.length).toBeLessThan(20_000);
    const { narrative, facts, text } = toObservation(row, policy).observation;
    for (const field of [narrative, text, facts[0] ?? ""]) {
      expect(field).toMatch(/^begins here word .*word.*… \[the rest is cut\]$/s);
      expect(field.length).toBeLessThanOrEqual(FIELD_UNITS);
    }
  });

  it("never splits a character when it cuts", () => {
    const { narrative } = observationOf({ title: "t", narrative: `${"x".repeat(3)}${"👩".repeat(40_000)}` });
    expect(narrative.isWellFormed()).toBe(true);
  });

  it("keeps what a giant list of facts begins with", () => {
    const facts = Array.from({ length: 50_000 }, (_, index) => `fact number ${index} of many`);
    const kept = observationOf({ title: "t", facts: JSON.stringify(facts) }).facts;
    expect(kept.slice(0, 50)).toEqual(facts.slice(0, 50));
    expect(kept.at(-1)).toBe("… [the rest is cut]");
    expect(kept.join("").length).toBeLessThan(2 * FIELD_UNITS);
  });

  it("bounds and cleans project names and types", () => {
    const row = rowOf({ title: "t", project: ` a\u0000b\n c ${"x".repeat(500)}`, type: ` Deci\u0007sion ` });
    const { project, type } = toObservation(row, policy).observation;
    expect(project).toMatch(/^ab c x+$/);
    expect(project.length).toBeLessThanOrEqual(200);
    expect(type).toBe("decision");
  });
});

describe("skipped rows", () => {
  it.each<[string, SourceValues, string | null]>([
    ["an ordinary row", FULL, null],
    ["no text at all", { title: null, narrative: null, facts: null }, "empty"],
    [
      "blanks and control characters",
      { title: " ", narrative: "\u0000", subtitle: "\n", facts: '["", " "]' },
      "empty",
    ],
    ["empty lists", { facts: "[]", concepts: '["gotcha"]' }, "empty"],
    ["only a subtitle", { subtitle: "s" }, null],
    ["only free text, as old rows have", { text: "old" }, null],
    ["only a fact", { facts: '["f"]' }, null],
    ["a sensitive row", { ...FULL, type: "sensitive" }, "sensitive"],
    ["a sensitive row in other letters", { ...FULL, type: " Sensitive" }, "sensitive"],
    ["another excluded type", { ...FULL, type: "Security-Note" }, "excluded-type"],
    ["an excluded project", { ...FULL, project: "secret-plan", type: "sensitive" }, "excluded-project"],
    ["a junk project", { ...FULL, project: "observer-sessions" }, "junk-project"],
    ["a junk project without text", { project: "T" }, "junk-project"],
  ])("%s: %j", (_, values, reason) => {
    expect(skipReason(rowOf(values), policy)).toBe(reason);
  });
});

describe("projects", () => {
  it.each<[SourceValues, string]>([
    [{ project: "demo" }, "demo"],
    [{ project: "wt", merged_into_project: "repo" }, "repo"],
    [{ project: "wt", merged_into_project: "" }, "wt"],
    [{ project: "old" }, "new"],
    [{ project: "wt", merged_into_project: "old" }, "new"],
    [{ project: "" }, "unknown-project"],
  ])("%j is %s", (values, project) => {
    expect(observationOf({ title: "t", ...values }).project).toBe(project);
  });
});

describe("secrets", () => {
  const KEY = "AKIA2OGYBAH6QPLMNRST";

  it("are masked in every text of a row, and counted", () => {
    const row = rowOf({
      title: `t ${KEY}`,
      subtitle: `s ${KEY}`,
      narrative: `n ${KEY} ${KEY}`,
      text: `x ${KEY}`,
      facts: JSON.stringify([`f ${KEY}`, "none", 'password = "hunter2"']),
    });
    const { observation, masked } = toObservation(row, policy);
    expect(masked).toBe(7);
    expect(JSON.stringify(observation)).not.toMatch(/AKIA|hunter2/);
    expect(observation.facts).toEqual([
      "f [masked: aws-access-key]",
      "none",
      'password = "[masked: password]"',
    ]);
  });

  it("are masked in facts as they would be each alone, however JSON writes them", () => {
    const part = fc.constantFrom(
      "password",
      " = ",
      ":",
      '"',
      "\\",
      "\n",
      "\t",
      "\u0000",
      "token",
      "hunter2",
      "Bearer ",
      "a1b2c3d4e5",
      "://u:p1@h",
      KEY,
      "é",
      "\ud800",
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
    const row = rowOf({ title: "t" });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.boolean(), (facts, escaped) => {
        const json = JSON.stringify(facts);
        const written = escaped ? json.replaceAll("/", "\\/").replaceAll("K", "\\u004b") : json;
        const expected = facts
          .map((fact) => redact(cleanText(fact)).text)
          .filter((fact) => fact.trim() !== "");
        expect(toObservation({ ...row, facts: written }, policy).observation.facts).toEqual(expected);
      }),
      { numRuns: 1500 },
    );
  });

  it("are masked before a text is cut, not after", () => {
    const jwt = `eyJ${"a".repeat(300)}.eyJ${"b".repeat(300)}.${"c".repeat(300)}`;
    const { observation } = toObservation(
      rowOf({
        title: "t",
        narrative: `${"word ".repeat(FIELD_UNITS / 5 - 30)}${jwt} ${"word ".repeat(9000)}`,
      }),
      policy,
    );
    expect(observation.narrative).not.toContain("eyJ");
    expect(observation.narrative).toContain("[masked: jwt]");
  });
});

describe("rows of any shape", () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.json({ maxDepth: 2 }),
    fc.integer(),
    fc.double(),
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom("", "[", "{", '"', "[]", "\u0000", '["a",', "password=hunter2", "\ud800"),
  );
  const columns = [
    "project",
    "merged_into_project",
    "type",
    "concepts",
    "title",
    "subtitle",
    "narrative",
    "facts",
    "text",
    "created_at_epoch",
    "sync_rev",
  ];
  const row = fc.record(Object.fromEntries(columns.map((name) => [name, value])));

  it("become sound observations or are skipped", () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const file = join(folder, `${crypto.randomUUID()}.db`);
        const made = new Database(file, { create: true });
        made.run(`CREATE TABLE observations (id INTEGER PRIMARY KEY, ${columns.join(", ")})`);
        insertObservations(made, rows);
        made.close();
        const any = openSource(file);
        try {
          const read = readAfter(any, 0, 100);
          expect(read).toHaveLength(rows.length);
          for (const each of read) assertSound(each);
        } finally {
          any.close();
        }
      }),
      { numRuns: 40 },
    );
  });

  function assertSound(each: SourceRow): void {
    const reason = skipReason(each, policy);
    const { observation } = toObservation(each, policy);
    const texts = [
      observation.title,
      observation.subtitle,
      observation.narrative,
      observation.text,
      ...observation.facts,
    ];
    for (const text of [...texts, observation.project, observation.type, ...observation.concepts]) {
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
    }
    // A project's name is a folder's name and the key to everything: it stays as it is.
    expect([...texts, observation.type, ...observation.concepts].join("\n")).not.toContain("hunter2");
    const blank = texts.every((text) => text.trim() === "");
    if (reason === null || reason === "empty") expect(blank).toBe(reason === "empty");
    expect(observation.project).not.toBe("");
    expect(Number.isSafeInteger(observation.epoch) && observation.epoch >= 0).toBe(true);
    expect(new Date(observation.epoch).toISOString()).toBeTruthy();
    expect(Number.isSafeInteger(each.syncRev) && each.syncRev >= 1).toBe(true);
    expect(Number.isSafeInteger(fingerprint(each))).toBe(true);
  }
});
