import { existsSync, mkdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolvePaths } from "../../src/paths.ts";
import { temporaryFolder } from "../support/cli.ts";
import { makeStore } from "../support/digest-store.ts";
import { runHook } from "../support/hooks.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** What a file needs before it runs, and what it may load later. */
function imports(path: string): { before: string[]; later: string[] } {
  const loader = path.endsWith(".ts") ? "ts" : "js";
  const source = readFileSync(join(ROOT, path), "utf8").replace(/^#!.*/, "");
  const found = new Bun.Transpiler({ loader }).scanImports(source);
  const of = (isBefore: boolean) =>
    found.filter(({ kind }) => (kind === "import-statement") === isBefore).map((one) => one.path);
  return { before: of(true), later: of(false) };
}

test.each(["src/hook.ts", "plugin/dist/hook.js"])("%s answers again without loading anything", (path) => {
  const { before, later } = imports(path);
  expect(before).toEqual([]);
  expect(later).toHaveLength(1);
});

test("what a session's start may load first loads no module that takes as long as Bun itself", () => {
  expect(imports("src/paths.ts")).toEqual({ before: [], later: [] });
});

test.each([{}, { XDG_STATE_HOME: "/state" }, { HOME: "", USERPROFILE: "/profile" }])(
  "kept answers lie in our state directory: %o",
  async (given) => {
    using folder = temporaryFolder();
    const inside = (path: string) => join(folder.path, path);
    const env = {
      ...Object.fromEntries(Object.entries(given).map(([name, path]) => [name, path && inside(path)])),
      DIGEST_DB: inside("digests.db"),
    };
    mkdirSync(inside("widgets-api"));
    makeStore(env.DIGEST_DB, { "widgets-api": { gotcha: [{ text: "one" }] } }).close();
    const then = new Date(Date.now() - 60_000);
    utimesSync(env.DIGEST_DB, then, then);
    await runHook("session-start", { cwd: inside("widgets-api") }, { home: folder.path, env });
    expect(existsSync(join(resolvePaths({ HOME: folder.path, ...env }).state, "answers"))).toBe(true);
  },
);
