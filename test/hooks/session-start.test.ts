import { Database } from "bun:sqlite";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { type StoreContent, makeStore } from "../support/digest-store.ts";
import { runHook } from "../support/hooks.ts";

const CONTENT: StoreContent = {
  "widgets-api": { gotcha: [{ text: "the queue drops jobs over 64 KB", sources: [7] }] },
};
const SOURCES = ["startup", "resume", "clear", "compact", "fork", "a-word-of-next-year"];

describe.each(SOURCES)("source %s", (source) => {
  test("gives the block, alone on stdout", async () => {
    using place = project(CONTENT);
    expect(await place.context({ source })).toContain("- the queue drops jobs over 64 KB #7");
  });
});

test("it is the text that `read` prints as the block", async () => {
  using place = project(CONTENT);
  const read = await runCli(["read", "--json"], { home: place.home, cwd: place.folder });
  expect(await place.context()).toBe(JSON.parse(read.stdout).block);
});

test.each([
  ["nothing", ""],
  ["garbage", "\u0000{not json"],
  ["half an object", '{"cwd":"/'],
  ["a list", "[1, 2]"],
  ["null", "null"],
  ["wrong types", '{"cwd":7,"source":[],"session_id":{},"hook_event_name":null}'],
  ["unknown fields", '{"new":{"deep":[1]},"agent_type":"x"}'],
])("with %s on stdin it goes by its own folder", async (_, stdin) => {
  using place = project(CONTENT);
  const { code, stdout, stderr } = await runHook("session-start", stdin, {
    home: place.home,
    cwd: place.folder,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("64 KB");
});

test("CLAUDE_PROJECT_DIR stands for the folder", async () => {
  using place = project(CONTENT);
  const elsewhere = { cwd: place.home };
  expect(await place.context(elsewhere)).toBe("");
  expect(await place.context(elsewhere, { CLAUDE_PROJECT_DIR: place.folder })).toContain("64 KB");
});

test("a folder that is gone, also under the process, is no error", async () => {
  using place = project(CONTENT);
  expect(await place.context({ cwd: join(place.home, "gone", "widgets-api") })).toContain("64 KB");
  const gone = join(place.home, "gone");
  mkdirSync(gone);
  const script = `cd "${gone}" && rmdir "${gone}" && echo garbage | "${process.execPath}" "${HOOK}" session-start`;
  const { exitCode, stdout } = Bun.spawnSync(["sh", "-c", script], { env: { HOME: place.home } });
  expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 0, stdout: "" });
});

test("stdin that is left open holds a session up for two seconds, no longer", async () => {
  using place = project(CONTENT);
  const child = Bun.spawn([process.execPath, HOOK, "session-start"], {
    cwd: place.folder,
    env: { HOME: place.home },
    stdin: "pipe",
    stdout: "pipe",
  });
  expect(await new Response(child.stdout).text()).toContain("64 KB");
  expect(await child.exited).toBe(0);
});

describe("what is wrong with the store costs the context, never the session", () => {
  const spoil: [string, (store: string) => void, RegExp][] = [
    ["no SQLite", (store) => writeFileSync(store, "notes ".repeat(1000)), /not an SQLite file/],
    ["damaged", (store) => writeFileSync(store, damaged(readFileSync(store))), /damaged|not an SQLite/],
    ["newer", (store) => run(store, "PRAGMA user_version = 99"), /newer persisted-memory/],
    ["another program's", (store) => run(store, "PRAGMA application_id = 1"), /another program/],
    ["a folder", (store) => (rmSync(store), mkdirSync(store)), /./],
  ];
  test.each(spoil)("%s: nothing on stdout, the reason in the log", async (_, spoiled, reason) => {
    using place = project(CONTENT);
    spoiled(place.store);
    expect(await place.context()).toBe("");
    expect(place.log()).toMatch(reason);
  });

  test("none yet: nothing, not even a complaint", async () => {
    using place = project(CONTENT);
    rmSync(place.store);
    expect(await place.context()).toBe("");
    expect(place.log()).toBe("");
  });

  test("being written: the state before the writer's commit", async () => {
    using place = project(CONTENT);
    const writer = new Database(place.store);
    writer.run("PRAGMA journal_mode = WAL");
    writer.run("BEGIN IMMEDIATE");
    writer.run("UPDATE items SET text = 'not committed'");
    expect(await place.context()).toContain("64 KB");
    writer.run("COMMIT");
    expect(await place.context()).toContain("not committed");
    writer.close();
  });
});

test("nothing is written to the store", async () => {
  using place = project(CONTENT);
  const before = readFileSync(place.store);
  for (let session = 0; session < 3; session++) await place.context();
  expect(readFileSync(place.store).equals(before)).toBe(true);
});

describe("an answer is given again only while nothing changed", () => {
  test("a commit, another budget, another store: each counts at once", async () => {
    using place = project(CONTENT);
    place.age();
    await place.context();
    expect(readdirSync(join(place.state, "answers"))).toHaveLength(1);
    for (const text of ["second", "third!"]) {
      run(place.store, `UPDATE items SET text = '${text}'`);
      expect(await place.context()).toContain(`- ${text} #7`);
      place.age();
      expect(await place.context()).toContain(`- ${text} #7`);
    }
    mkdirSync(join(place.home, ".config/persisted-memory"), { recursive: true });
    writeFileSync(
      join(place.home, ".config/persisted-memory/config.json"),
      '{"DIGEST_DB":"/nowhere/digests.db"}',
    );
    expect(await place.context()).toBe("");
    expect(await place.context({}, { DIGEST_DB: place.store })).toContain("third!");
  });

  test("a folder that becomes a repository gets that one's name", async () => {
    using place = project({ ...CONTENT, api: { gotcha: [{ text: "of the folder" }] } });
    const inner = join(place.folder, "api");
    mkdirSync(inner);
    place.age();
    for (let session = 0; session < 2; session++)
      expect(await place.context({ cwd: inner })).toContain("of the folder");
    repository(place.folder);
    expect(await place.context({ cwd: inner })).toContain("64 KB");
  });

  test("what changed this moment is not kept: it may change again within the clock's tick", async () => {
    using place = project(CONTENT);
    const soon = new Date(Date.now() + 60_000); // however slow the machine is
    utimesSync(place.store, soon, soon);
    await place.context();
    expect(existsSync(join(place.state, "answers"))).toBe(false);
  });

  test("an answer file that somebody spoiled is no answer", async () => {
    using place = project(CONTENT);
    place.age();
    await place.context();
    const [name = ""] = readdirSync(join(place.state, "answers"));
    const kept = join(place.state, "answers", name);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    writeFileSync(kept, readFileSync(kept, "utf8").slice(0, 100));
    expect(await place.context()).toContain("64 KB");
  });

  test("without a place to keep it the context comes all the same", async () => {
    using place = project(CONTENT);
    place.age();
    writeFileSync(place.state, "a file where the folder should be");
    expect(await place.context()).toContain("64 KB");
  });
});

test("SESSION_MESSAGE adds a line for the person, which is no context", async () => {
  using place = project(CONTENT);
  const { stdout } = await place.run({}, { SESSION_MESSAGE: "on" });
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: expect.objectContaining({ hookEventName: "SessionStart" }),
    systemMessage: expect.stringMatching(
      /^persisted-memory: 1 observation of widgets-api \(about 100,000 tokens\) as 1 note in 3\d\d characters$/,
    ),
  });
});

const HOOK = join(import.meta.dirname, "..", "..", "src", "hook.ts");

interface Project extends Disposable {
  home: string;
  folder: string;
  store: string;
  state: string;
  run(input?: object, env?: Record<string, string>): ReturnType<typeof runHook>;
  /** The additional context; empty where stdout is. */
  context(input?: object, env?: Record<string, string>): Promise<string>;
  log(): string;
  /** As if everything had been written a while ago. */
  age(): void;
}

function project(content: StoreContent): Project {
  const temporary = temporaryFolder();
  const home = temporary.path;
  const [folder, store, state] = [
    join(home, "widgets-api"),
    join(home, ".local/share/persisted-memory/digests.db"),
    join(home, ".local/state/persisted-memory"),
  ];
  mkdirSync(folder);
  mkdirSync(dirname(state), { recursive: true });
  makeStore(store, content).close();
  const call = (input: object = {}, env: Record<string, string> = {}) =>
    runHook(
      "session-start",
      { cwd: folder, hook_event_name: "SessionStart", source: "startup", ...input },
      { home, env },
    );
  return {
    home,
    folder,
    store,
    state,
    run: call,
    context: async (input, env) => {
      const { code, stdout, stderr } = await call(input, env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext;
    },
    log: () => (existsSync(join(state, "hooks.log")) ? readFileSync(join(state, "hooks.log"), "utf8") : ""),
    age: () => {
      const then = new Date(Date.now() - 60_000);
      for (const file of [store, `${store}-wal`]) if (existsSync(file)) utimesSync(file, then, then);
    },
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

function run(store: string, sql: string): void {
  const db = new Database(store);
  db.run(sql);
  db.close();
}

function damaged(bytes: Buffer): Buffer {
  return bytes.fill(0x5a, 200);
}

function repository(folder: string): void {
  for (const name of ["objects", "refs"]) mkdirSync(join(folder, ".git", name), { recursive: true });
  writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}
