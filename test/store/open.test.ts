import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { createObservations, insertObservations, makeSource, openWriter } from "../support/claude-mem.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder[Symbol.dispose]());
const at = (...names: string[]) => join(folder.path, ...names);
const json = async (args: string[], env: Record<string, string>) => {
  const { code, stdout } = await runCli([...args, "--json"], { home: folder.path, env });
  return { code, ...JSON.parse(stdout) };
};

const ROWS = [{ title: "The port is 8080" }];

describe("another program's database as DIGEST_DB", () => {
  test("keeps every byte, what its -wal holds included", async () => {
    const writer = openWriter(at("claude-mem.db"));
    createObservations(writer);
    insertObservations(writer, ROWS);
    // as a worker leaves it that was killed: nobody has it open, and the rows are in the -wal
    for (const ending of ["", "-wal"])
      writeFileSync(at(`left.db${ending}`), readFileSync(at(`claude-mem.db${ending}`)));
    writer.close();
    const bytes = () => ["", "-wal"].map((ending) => readFileSync(at(`left.db${ending}`)).toString("base64"));
    const before = bytes();
    const env = { CLAUDE_MEM_DB: makeSource(at("own.db"), ROWS), DIGEST_DB: at("left.db") };
    for (const args of [
      ["build"],
      ["build", "--dry-run"],
      ["alias", "a", "b"],
      ["runs"],
      ["read", "demo"],
      ["status"],
    ]) {
      expect(await json(args, env)).toMatchObject({ code: 3, error: { code: "store-foreign" } });
    }
    expect(bytes()).toEqual(before);
  });

  test("is not even made where claude-mem has none yet", async () => {
    const env = { CLAUDE_MEM_DB: at("later.db"), DIGEST_DB: at("later.db") };
    expect(await json(["build"], env)).toMatchObject({ code: 2, error: { code: "store-is-source" } });
    expect(existsSync(at("later.db"))).toBe(false);
  });
});

test("a folder as DIGEST_DB is an error", async () => {
  mkdirSync(at("folder"));
  const env = { CLAUDE_MEM_DB: makeSource(at("own.db"), ROWS), DIGEST_DB: at("folder") };
  for (const args of [["build"], ["status"], ["read", "demo"]]) expect((await json(args, env)).code).toBe(3);
  expect(readdirSync(at("folder"))).toEqual([]);
});

test("all that a build makes is the user's alone", async () => {
  makeSource(at("own.db"), ROWS);
  const env = { CLAUDE_MEM_DB: at("own.db"), XDG_DATA_HOME: at("data"), XDG_STATE_HOME: at("state") };
  const reader = async () => (await json(["read", "demo"], env)).code;
  expect([(await json(["build"], env)).code, await reader()]).toEqual([0, 0]);
  const store = openStore(at("data", "persisted-memory", "digests.db"));
  store.write(() => store.client.run("UPDATE meta SET value = value"));
  const made = ["data", "state"].flatMap((name) =>
    readdirSync(at(name), { recursive: true }).map((path) => at(name, String(path))),
  );
  const modes = made.map((path) => [path, (statSync(path).mode & 0o777).toString(8)]);
  store.close();
  expect(modes.some(([path]) => path?.endsWith("-wal"))).toBe(true);
  expect(modes.filter(([path, mode]) => mode !== (isFolder(path) ? "700" : "600"))).toEqual([]);
});

test("an empty file that was there before becomes the user's alone, too", () => {
  writeFileSync(at("digests.db"), "", { mode: 0o644 });
  openStore(at("digests.db")).close();
  expect((statSync(at("digests.db")).mode & 0o777).toString(8)).toBe("600");
});

test("a store that is taken away while it is written is noticed", () => {
  const store = openStore(at("digests.db"));
  store.assertInPlace();
  writeFileSync(at("aside"), "");
  Bun.spawnSync(["mv", at("digests.db"), at("aside")]);
  expect(() => store.assertInPlace()).toThrow(expect.objectContaining({ code: "store-taken-away", exit: 3 }));
  store.close();
});

function isFolder(path: string | undefined): boolean {
  return path !== undefined && existsSync(path) && statSync(path).isDirectory();
}
