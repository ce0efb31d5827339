import { Database } from "bun:sqlite";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Exit, UserError } from "../../src/errors.ts";
import { readAfter } from "../../src/source/observations.ts";
import { type OpenOptions, type Source, openSource } from "../../src/source/open.ts";
import { createObservations, insertObservations, makeSource, openWriter } from "../support/claude-mem.ts";
import { readSourceUnprivileged } from "../support/read-source.ts";

let folder: string;
let path: string;
const opened: { close(): void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "source-open-"));
  chmodSync(folder, 0o755);
  path = join(folder, "claude-mem.db");
});

afterEach(() => {
  for (const each of opened.splice(0)) each.close();
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

const THREE = [{ title: "one" }, { title: "two" }, { title: "three" }];

function open(file = path, options: OpenOptions = {}): Source {
  const source = openSource(file, { busyTimeout: 50, ...options });
  opened.push(source);
  return source;
}

function ids(source: Source): number[] {
  return readAfter(source, 0, 1000).map((row) => row.id);
}

function failure(action: () => unknown): UserError {
  try {
    action();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** A database whose newest row is in the -wal alone, as while claude-mem runs. */
function liveSource(): Database {
  makeSource(path, THREE);
  const writer = openWriter(path);
  opened.push(writer);
  writer.run("PRAGMA wal_autocheckpoint = 0");
  insertObservations(writer, [{ title: "four" }]);
  return writer;
}

/** Database and -wal of a live source, in a folder of their own, without a -shm. */
function crashedSource(): string {
  liveSource();
  const there = join(folder, "crashed");
  mkdirSync(there);
  const file = join(there, "claude-mem.db");
  copyFileSync(path, file);
  copyFileSync(`${path}-wal`, `${file}-wal`);
  for (const each of [file, `${file}-wal`]) chmodSync(each, 0o644);
  return file;
}

describe("what can be read", () => {
  it("reads a database that nobody has open", () => {
    makeSource(path, THREE);
    const source = open();
    expect([source.mode, source.degraded, ids(source)]).toEqual(["live", false, [1, 2, 3]]);
  });

  it("sees what a writer has not checkpointed, and what it commits meanwhile", () => {
    const writer = liveSource();
    const source = open();
    expect(ids(source)).toEqual([1, 2, 3, 4]);
    writer.run("BEGIN IMMEDIATE");
    insertObservations(writer, [{ title: "five" }]);
    expect(ids(source)).toEqual([1, 2, 3, 4]);
    writer.run("COMMIT");
    expect(ids(source)).toEqual([1, 2, 3, 4, 5]);
  });

  it("never holds up a writer's checkpoint", () => {
    const writer = liveSource();
    const source = open();
    ids(source);
    const checkpoint = writer.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get();
    expect(checkpoint?.busy).toBe(0);
  });

  it("reads whole rows while another process writes, checkpoints and vacuums", async () => {
    makeSource(path, THREE);
    const script = `
      const { Database } = require("bun:sqlite");
      const db = new Database(process.argv[1]);
      db.run("PRAGMA busy_timeout = 5000");
      console.log("ready");
      for (let n = 0; n < 150; n++) {
        db.run("INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at, created_at_epoch) VALUES ('s', 'p', 'bugfix', 'row', ?, '', 1)", ["x".repeat(5000)]);
        if (n % 10 === 0) db.run("PRAGMA wal_checkpoint(TRUNCATE)");
        if (n % 50 === 0) db.run("VACUUM");
      }`;
    const writer = Bun.spawn({ cmd: [process.execPath, "-e", script, path], stdout: "pipe" });
    await writer.stdout.getReader().read();
    let most = 0;
    while (writer.exitCode === null) {
      const source = openSource(path);
      const seen = ids(source);
      source.close();
      expect(seen.length).toBeGreaterThanOrEqual(most);
      expect(seen).toEqual(seen.map((_, index) => index + 1));
      most = seen.length;
      await Bun.sleep(1);
    }
    expect(writer.exitCode).toBe(0);
    expect(ids(open())).toHaveLength(153);
  });

  it("reads a -wal without its -shm", () => {
    const source = open(crashedSource());
    expect([source.mode, ids(source)]).toEqual(["live", [1, 2, 3, 4]]);
  });

  it("takes names that a URI would read otherwise", () => {
    const odd = join(folder, "a?b#c %20.db");
    makeSource(odd, THREE);
    expect(ids(open(odd))).toEqual([1, 2, 3]);
  });

  it("leaves the file's bytes as they are", () => {
    makeSource(path, THREE);
    const before = readFileSync(path);
    const source = open();
    ids(source);
    source.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("cannot write", () => {
    makeSource(path, THREE);
    const source = open();
    expect(failure(() => source.all("DELETE FROM observations")).code).toBe("source-unreadable");
    expect(ids(source)).toEqual([1, 2, 3]);
  });
});

describe("a folder that may not be written to", () => {
  const copies = () => {
    const there = join(folder, "copies");
    mkdirSync(there);
    chmodSync(there, 0o777);
    return there;
  };

  it.each(["plain", "a?b#c %20"])("is read as immutable when there is no -wal (%s)", (name) => {
    const there = join(folder, name);
    mkdirSync(there);
    const file = makeSource(join(there, "claude-mem.db"), THREE);
    chmodSync(file, 0o644);
    chmodSync(there, 0o555);
    const seen = readSourceUnprivileged(file, copies());
    expect(seen).toEqual({ mode: "immutable", degraded: true, ids: [1, 2, 3], copies: [0, 0] });
    expect(readdirSync(there)).toEqual(["claude-mem.db"]);
  });

  it("is read from a private copy when there is a -wal, which is gone afterwards", () => {
    const file = crashedSource();
    chmodSync(join(file, ".."), 0o555);
    const seen = readSourceUnprivileged(file, copies());
    expect(seen).toEqual({ mode: "copy", degraded: true, ids: [1, 2, 3, 4], copies: [1, 0] });
  });

  it("is read live while another user's writer keeps -wal and -shm there", () => {
    liveSource();
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    const temporary = copies();
    chmodSync(folder, 0o555);
    expect(readSourceUnprivileged(path, temporary)).toMatchObject({ mode: "live", ids: [1, 2, 3, 4] });
  });

  it("is not copied past the limit", () => {
    const file = crashedSource();
    chmodSync(join(file, ".."), 0o555);
    expect(readSourceUnprivileged(file, copies(), 1000).code).toBe("source-too-large-to-copy");
    expect(readdirSync(join(folder, "copies"))).toEqual([]);
  });

  it("says when it may not read a file", () => {
    const file = crashedSource();
    chmodSync(`${file}-wal`, 0o600);
    chmodSync(join(file, ".."), 0o555);
    expect(readSourceUnprivileged(file, copies()).code).toBe("source-unreadable");
    chmodSync(file, 0o600);
    expect(readSourceUnprivileged(file, join(folder, "copies")).code).toBe("source-unreadable");
  });
});

describe("what cannot be read", () => {
  const cases: [name: string, code: string, make: () => unknown][] = [
    ["a missing file", "source-missing", () => {}],
    ["a file in a missing folder", "source-missing", () => (path = join(folder, "no", "claude-mem.db"))],
    [
      "a file where a folder should be",
      "source-missing",
      () => {
        writeFileSync(join(folder, "file"), "");
        path = join(folder, "file", "claude-mem.db");
      },
    ],
    ["a folder", "source-is-directory", () => mkdirSync(path)],
    ["an empty file", "source-empty", () => writeFileSync(path, "")],
    [
      "a database without tables",
      "source-empty",
      () => {
        const db = new Database(path, { create: true });
        db.run("CREATE TABLE gone (x)");
        db.run("DROP TABLE gone");
        db.close();
      },
    ],
    ["a text", "source-not-sqlite", () => writeFileSync(path, "not a database. ".repeat(400))],
    [
      "random bytes",
      "source-not-sqlite",
      () => writeFileSync(path, crypto.getRandomValues(new Uint8Array(9000))),
    ],
    [
      "no observations table",
      "source-no-observations",
      () => {
        const db = openWriter(path);
        db.run("CREATE TABLE memories (id INTEGER PRIMARY KEY)");
        db.close();
      },
    ],
    [
      "a file that was cut off",
      "source-corrupt",
      () => {
        makeSource(path, THREE);
        truncateSync(path, 5000);
      },
    ],
    [
      "a lock that is kept",
      "source-locked",
      () => {
        makeSource(path, THREE);
        const writer = openWriter(path);
        opened.push(writer);
        writer.run("PRAGMA locking_mode = EXCLUSIVE");
        insertObservations(writer, [{ title: "four" }]);
      },
    ],
    [
      "a write that was broken off",
      "source-unreadable",
      () => {
        const db = new Database(path, { create: true });
        createObservations(db);
        db.close();
        writeFileSync(
          `${path}-journal`,
          Buffer.from("d9d505f920a163d7ffffffff0000000000000001000002000000100000000000", "hex"),
        );
      },
    ],
  ];

  it.each(cases)("%s: %s", (_, code, make) => {
    make();
    const before = new Set(readdirSync(folder, { recursive: true }).map(String));
    const error = failure(() => open());
    expect([error.code, error.exit]).toEqual([code, Exit.environment]);
    expect(error.message).toContain(path);
    expect(error.hint).toBeTruthy();
    const made = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => !before.has(name));
    // SQLite makes these beside a database that it opens; beside anything else there is nothing new.
    const opens = ["source-no-observations", "source-corrupt"].includes(code);
    const allowed = opens ? ["claude-mem.db-shm", "claude-mem.db-wal"] : [];
    expect(made.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it.each([
    ["created_at_epoch", ["created_at_epoch"]],
    ["one of title", ["title", "subtitle", "narrative", "facts", "text"]],
  ])("names missing columns: %s", (name, without) => {
    const db = openWriter(path);
    createObservations(db, { without });
    db.close();
    const error = failure(() => open());
    expect(error.code).toBe("source-missing-columns");
    expect(error.message).toContain(name);
  });
});

describe("what goes wrong after opening", () => {
  it("is the same error: damage behind the schema", () => {
    makeSource(
      path,
      Array.from({ length: 200 }, () => ({ narrative: "x".repeat(3000) })),
    );
    const file = openSync(path, "r+");
    for (let page = 20; page < 120; page++)
      writeSync(file, crypto.getRandomValues(new Uint8Array(4096)), 0, 4096, page * 4096);
    const source = open();
    expect(failure(() => ids(source)).code).toBe("source-corrupt");
  });

  it("is the same error: a lock", () => {
    const db = new Database(path, { create: true });
    opened.push(db);
    createObservations(db);
    const source = open();
    db.run("BEGIN EXCLUSIVE");
    const error = failure(() => ids(source));
    expect([error.code, error.exit]).toEqual(["source-locked", Exit.environment]);
  });
});
