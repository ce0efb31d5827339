import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { hookLogPath, logHook } from "../../src/text/hook-log.ts";
import { temporaryFolder } from "../support/cli.ts";

test("a complaint is one line with its time, for the user alone", () => {
  using folder = temporaryFolder();
  const env = { HOME: folder.path };
  logHook(env, "session-start", "it broke\n  in two lines ".padEnd(10_000, "x"));
  const line = readFileSync(hookLogPath(env), "utf8");
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z session-start: it broke in two lines x+\n$/);
  expect(line.length).toBeLessThan(2100);
  expect(statSync(hookLogPath(env)).mode & 0o777).toBe(0o600);
});

test("a log that has grown makes room, and one before it is kept", () => {
  using folder = temporaryFolder();
  const env = { HOME: folder.path };
  logHook(env, "session-end", "the first");
  writeFileSync(hookLogPath(env), "old\n".repeat(100_000));
  logHook(env, "session-end", "the newest");
  expect(readFileSync(hookLogPath(env), "utf8")).toMatch(/^\S+ session-end: the newest\n$/);
  expect(readFileSync(`${hookLogPath(env)}.1`, "utf8")).toMatch(/^old\n/);
});

test("where no log can be written nothing happens", () => {
  using folder = temporaryFolder();
  const env = { HOME: join(folder.path, "file") };
  writeFileSync(env.HOME, "");
  logHook(env, "session-end", "lost");
  expect(existsSync(dirname(hookLogPath(env)))).toBe(false);
});
