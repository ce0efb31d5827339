import { Database } from "bun:sqlite";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { STORE_SCHEMA, type Peeked, peek, peekDigests, readStore } from "../../src/store/peek.ts";
import { temporaryFolder } from "../support/cli.ts";
import { makeStore } from "../support/digest-store.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "digests.db");
});
afterEach(() => folder[Symbol.dispose]());

const WIDGETS = {
  widgets: {
    decision: [
      { text: "Postgres holds the queue", sources: [3, 12, 7], rank: 5 },
      { text: "The port is 8080", sources: [9], rank: 1 },
    ],
    gotcha: [{ text: "Clocks drift", rank: 2 }],
  },
  other: { decision: [{ text: "elsewhere" }] },
};

function peekedOf(names: readonly string[], units = 9500): Peeked {
  const result = peekDigests(path, names, units);
  if (result?.kind !== "peeked") throw new Error(JSON.stringify(result));
  return result;
}

const textsOf = ({ projects }: Peeked) =>
  projects.flatMap(({ cells }) => cells.flatMap(({ items }) => items.map(({ text }) => text)));

test("the schema that the light reader knows is the newest", () => {
  const migrations = readMigrationFiles({
    migrationsFolder: join(import.meta.dirname, "..", "..", "drizzle"),
  });
  expect(STORE_SCHEMA).toBe(migrations.length);
});

test("a project comes with its cells, its best items first and their newest sources", () => {
  makeStore(path, WIDGETS).close();
  const { names, projects } = peekedOf(["widgets"]);
  expect(names).toEqual(["widgets"]);
  expect(projects).toHaveLength(1);
  expect(projects[0]).toMatchObject({
    name: "widgets",
    observations: 3,
    rawTokens: 100_000,
    recent50Rows: 50,
  });
  expect(projects[0]?.cells.map(({ type, count }) => [type, count])).toEqual([
    ["decision", 2],
    ["gotcha", 1],
  ]);
  expect(projects[0]?.cells[0]?.items).toMatchObject([
    { text: "Postgres holds the queue", sources: [12, 7], sourceCount: 3, pinned: false },
    { text: "The port is 8080", sources: [9], sourceCount: 1 },
  ]);
});

test("a whole read has every source, the duplicates of each among them", () => {
  const store = makeStore(path, WIDGETS);
  store.client.run("INSERT INTO ledger VALUES (40, 1, 1, 'd', 7, NULL, 2, 0, 0, 5, NULL)");
  store.close();
  const whole = readStore(path, (db) => peek(db, ["widgets"]));
  if (whole?.kind !== "read") throw new Error("unusable");
  expect(whole.value.projects[0]?.cells[0]?.items[0]?.sources).toEqual([40, 12, 7, 3]);
});

test("unknown projects are left out, known ones keep the order asked for", () => {
  makeStore(path, WIDGETS).close();
  expect(peekedOf(["nobody"]).projects).toEqual([]);
  expect(peekedOf(["other", "nobody", "widgets"]).projects.map(({ name }) => name)).toEqual([
    "other",
    "widgets",
  ]);
});

test("a folder with an odd name is found under the name that its rows have", () => {
  makeStore(path, { "my repo": { decision: [{ text: "here" }] } }).close();
  expect(textsOf(peekedOf(["my\n  repo"]))).toEqual(["here"]);
});

test("aliases of aliases are followed, in circles once", () => {
  const store = makeStore(path, WIDGETS);
  store.client.run("INSERT INTO aliases VALUES ('a', 'b'), ('b', 'widgets'), ('widgets', 'a')");
  store.close();
  expect(peekedOf(["a"]).names).toEqual(["a", "b", "widgets"]);
});

test("an alias is followed; what still stands under the old name is read as well", () => {
  const store = makeStore(path, WIDGETS);
  store.client.run("INSERT INTO aliases VALUES ('other', 'widgets')");
  store.close();
  expect(peekedOf(["other"]).names).toEqual(["other", "widgets"]);
  expect(textsOf(peekedOf(["other"]))).toContain("Clocks drift");
});

test("of a huge digest no more is read than a block could show", () => {
  const items = Array.from({ length: 5000 }, (_, at) => ({ text: `note ${at} ${"x".repeat(at % 50)}` }));
  makeStore(path, { p: { gotcha: items, decision: items.slice(0, 3) } }).close();
  const { projects } = peekedOf(["p"], 2000);
  const [small, huge] = projects[0]?.cells ?? [];
  expect(small?.items).toHaveLength(3);
  expect(huge?.count).toBe(5000);
  expect(huge?.items.length).toBeLessThan(200);
  expect(huge?.items[0]?.text).toContain("note 4999");
  expect(textsOf(peekedOf(["p"], 2000)).join("\n").length).toBeGreaterThan(2000);
});

describe("no store is no trouble", () => {
  test.each([
    ["missing", () => undefined],
    ["in a missing folder", () => (path = join(folder.path, "no", "digests.db"))],
    ["empty", () => writeFileSync(path, "")],
  ])("%s", (_, prepare) => {
    prepare();
    const before = readdirSync(folder.path);
    expect(peekDigests(path, ["widgets"], 9500)).toBeNull();
    expect(readdirSync(folder.path)).toEqual(before);
  });
});

test("a store without a table yet is none", () => {
  new Database(path).run("PRAGMA journal_mode = WAL");
  expect(peekDigests(path, ["widgets"], 9500)).toBeNull();
});

describe("a store that cannot be read says why and is left alone", () => {
  const sql =
    (...statements: string[]) =>
    () => {
      const db = new Database(path);
      for (const statement of statements) db.run(statement);
      db.close();
    };
  test.each([
    ["store-not-sqlite", () => writeFileSync(path, "not a database, ".repeat(100))],
    ["store-foreign", sql("CREATE TABLE t (a)")],
    ["store-newer", () => (makeStore(path, WIDGETS).close(), sql("PRAGMA user_version = 999")())],
    ["store-corrupt", () => (makeStore(path, WIDGETS).close(), truncateSync(path, 8192))],
    ["store-", () => mkdirSync(path)],
  ])("%s", (code, prepare) => {
    prepare();
    expect(peekDigests(path, ["widgets"], 9500)).toMatchObject({
      kind: "unusable",
      trouble: { code: expect.stringContaining(code) },
    });
  });
});

test("reading writes nothing into the file", () => {
  makeStore(path, WIDGETS).close();
  const before = readFileSync(path);
  peekedOf(["widgets"]);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("the writer's rows are seen once they are committed, and it is never held up", () => {
  makeStore(path, WIDGETS).close();
  const store = openStore(path);
  store.client.run("BEGIN IMMEDIATE");
  store.client.run("UPDATE items SET text = 'changed' WHERE text = 'Clocks drift'");
  expect(textsOf(peekedOf(["widgets"]))).toContain("Clocks drift");
  store.client.run("COMMIT");
  expect(textsOf(peekedOf(["widgets"]))).toContain("changed");
  store.close();
});

const PEEK = join(import.meta.dirname, "..", "..", "src", "store", "peek.ts");

/** Root may write anywhere, so that the folder's mode would prove nothing. */
test.skipIf(process.getuid?.() === 0 && !canBeNobody())(
  "a folder that may not be written to is read all the same, unless rows wait in a WAL",
  () => {
    makeStore(path, WIDGETS).close();
    chmodSync(path, 0o444);
    chmodSync(folder.path, 0o555);
    try {
      expect(peekedAsNobody(path)).toContain("Clocks drift");
    } finally {
      chmodSync(folder.path, 0o755);
    }
    const store = openStore(path);
    store.client.run("UPDATE items SET text = 'in the WAL' WHERE text = 'Clocks drift'");
    writeFileSync(`${path}-copy`, readFileSync(path));
    writeFileSync(`${path}-copy-wal`, readFileSync(`${path}-wal`));
    store.close();
    chmodSync(`${path}-copy`, 0o444);
    chmodSync(folder.path, 0o555);
    try {
      expect(peekedAsNobody(`${path}-copy`)).toContain("store-unreadable");
    } finally {
      chmodSync(folder.path, 0o755);
      rmSync(`${path}-copy`);
    }
  },
);

function peekedAsNobody(file: string): string {
  const script = `import { peekDigests } from ${JSON.stringify(PEEK)};
    process.stdout.write(JSON.stringify(peekDigests(${JSON.stringify(file)}, ["widgets"], 9500)));`;
  return asNobody([process.execPath, "-e", script]);
}

function canBeNobody(): boolean {
  try {
    // nobody may not even reach a clone below a private folder
    const script = `await import(${JSON.stringify(PEEK)}); process.stdout.write("yes");`;
    return asNobody([process.execPath, "-e", script]) === "yes";
  } catch {
    return false;
  }
}

function asNobody(command: readonly string[]): string {
  const prefix =
    process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const child = Bun.spawnSync([...prefix, ...command], {
    stdout: "pipe",
    stderr: "pipe",
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp" },
  });
  return child.stdout.toString() + (child.exitCode === 0 ? "" : child.stderr.toString());
}
