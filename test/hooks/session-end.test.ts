import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildLockPath, readHeartbeat } from "../../src/store/heartbeat.ts";
import { acquireLock } from "../../src/text/lock.ts";
import { makeSource } from "../support/claude-mem.ts";
import { temporaryFolder } from "../support/cli.ts";
import { eventually, runHook } from "../support/hooks.ts";

/** Long enough for a build that should not be there to begin. */
const WOULD_HAVE_BEGUN_MS = 700;

test("the end of a session brings the digests up to date, and holds nobody up", async () => {
  using place = home();
  const { code, stdout, stderr, milliseconds } = await place.end();
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(milliseconds).toBeLessThan(1500); // what Claude Code waits for this event
  await eventually(place.lastBuild, (build) => build !== null);
  expect(existsSync(place.store)).toBe(true);
  const start = await runHook("session-start", { cwd: place.folder }, { home: place.home });
  expect(start.stdout).toContain("widgets-api");
});

test("two sessions that end at once build one after the other, or once", async () => {
  using place = home();
  await Promise.all([place.end(), place.end(), place.end()]);
  await eventually(place.lastBuild, (build) => build !== null);
  expect(place.log()).toBe("");
});

test("while a build runs another one changes nothing", async () => {
  using place = home();
  mkdirSync(dirname(buildLockPath(place.state, place.store)), { recursive: true });
  const lock = acquireLock(buildLockPath(place.state, place.store));
  await place.end();
  await Bun.sleep(WOULD_HAVE_BEGUN_MS);
  expect(place.lastBuild()).toBeNull();
  if (lock.kind === "held") lock.release();
});

describe.concurrent("no build", () => {
  const cases: [string, Record<string, string>][] = [
    ["after `claude -p`", { CLAUDE_CODE_ENTRYPOINT: "sdk-cli", CLAUDE_CODE_SESSION_ATTENDED: "0" }],
    ["after an SDK's session", { CLAUDE_CODE_ENTRYPOINT: "sdk-py" }],
    ["after a session of ours", { PERSISTED_MEMORY_INTERNAL: "1" }],
    ["after a session of claude-mem's", { CLAUDE_MEM_INTERNAL: "1" }],
    ["after a session that a memory tool started", { CLAUDE_INVOKED_BY: "memory_flush" }],
    ["with a model that costs something", { MERGE_MODEL: "haiku" }],
  ];
  test.each(cases)("%s", async (_, env) => {
    using place = home();
    const { code, stdout } = await place.end(env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    await Bun.sleep(WOULD_HAVE_BEGUN_MS);
    expect(existsSync(place.store)).toBe(false);
  });
});

function home() {
  const temporary = temporaryFolder();
  const path = temporary.path;
  const [folder, store, state] = [
    join(path, "widgets-api"),
    join(path, ".local/share/persisted-memory/digests.db"),
    join(path, ".local/state/persisted-memory"),
  ];
  mkdirSync(folder);
  mkdirSync(join(path, ".claude-mem"));
  const row = { project: "widgets-api", title: "The queue drops jobs over 64 KB", concepts: '["gotcha"]' };
  makeSource(join(path, ".claude-mem/claude-mem.db"), [row]);
  return {
    home: path,
    folder,
    store,
    state,
    end: (env: Record<string, string> = {}) =>
      runHook(
        "session-end",
        { cwd: folder, hook_event_name: "SessionEnd", reason: "prompt_input_exit" },
        { home: path, cwd: folder, env: { CLAUDE_CODE_ENTRYPOINT: "cli", ...env } },
      ),
    lastBuild: () => readHeartbeat(state, store),
    log: () => (existsSync(join(state, "hooks.log")) ? readFileSync(join(state, "hooks.log"), "utf8") : ""),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}
