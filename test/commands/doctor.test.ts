import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { noteSchedule } from "../../src/claude/nightly.ts";
import { run as doctor } from "../../src/commands/doctor.ts";
import { run as install } from "../../src/commands/install.ts";
import { writeHeartbeat } from "../../src/store/heartbeat.ts";
import { makeSource } from "../support/claude-mem.ts";
import { temporaryFolder } from "../support/cli.ts";
import { runCommand, runToObject } from "../support/command.ts";
import { makeStore } from "../support/digest-store.ts";

test("where all is well every line passes, and the exit code is 0", async () => {
  using place = await home();
  const { exit, checks } = await place.doctor();
  expect(Object.values(checks).filter(({ level }) => level !== "pass")).toEqual([]);
  expect(exit).toBe(0);
  expect(checks["source"]?.message).toMatch(
    /claude-mem\.db \(claude-mem's default folder\): 2 observations, columns as of .*MB/,
  );
  expect(checks["claude-mem"]?.message).toBe("claude-mem is not running");
  expect(checks["hooks"]?.message).toMatch(/^session-start, session-end by .*settings\.json$/);
  expect(checks["payer-merge"]?.message).toBe("MERGE_MODEL extractive: costs nothing");
  expect(checks["block"]?.message).toMatch(
    /^widgets-api: \d+ of 10,000 characters, about \d+ tokens \(the 50 newest observations: about 900\)$/,
  );
});

test("for a person it is a line a check, with what to do about it below", async () => {
  using place = await home();
  chmodSync(place.store, 0o644);
  const { exit, stdout } = await place.forPeople();
  expect(exit).toBe(1);
  expect(stdout).toMatch(/^pass {2}version: persisted-memory \d/m);
  expect(stdout).toMatch(/^fail {2}store-mode: others can read .*\n {6}chmod 600 /m);
  expect(stdout).toContain("`persisted-memory doctor --fix` mends what is safe to mend.");
});

test("--fix closes our files to others, says so, and looks again", async () => {
  using place = await home();
  chmodSync(place.store, 0o664);
  const { exit, object } = await place.run({ fix: true });
  expect(exit).toBe(0);
  expect(object["fixed"]).toEqual([expect.stringMatching(/digests\.db.* can be read by you alone$/)]);
  expect(statSync(place.store).mode & 0o777).toBe(0o600);
});

describe("what is wrong, with its hint", () => {
  const cases: [string, (place: Home) => void | Promise<unknown>, string, "warn" | "fail", RegExp, RegExp][] =
    [
      ["no source", ({ source }) => writeFileSync(source, ""), "source", "fail", /is empty/, /./],
      [
        "a store of rubbish",
        ({ store }) => writeFileSync(store, "x".repeat(5000)),
        "store",
        "fail",
        /not an SQLite/,
        /DIGEST_DB/,
      ],
      [
        "no hooks",
        ({ settings }) => writeFileSync(settings, "{}"),
        "hooks",
        "warn",
        /none of our hooks/,
        /install --apply/,
      ],
      [
        "a Bun that is gone",
        ({ settings }) =>
          edit(settings, (text) => text.replaceAll(/\\"[^"]*bun(\.exe)?\\" --no/g, '\\"/gone/bun\\" --no')),
        "hooks-gone",
        "fail",
        /calls \/gone\/bun, which is gone/,
        /install --apply/,
      ],
      [
        "an older command line",
        ({ settings }) => edit(settings, (text) => text.replaceAll(" --no-env-file", "")),
        "hooks-other",
        "warn",
        /not what this copy would install/,
        /install/,
      ],
      [
        "the same hook in two files",
        (place) => place.install({ local: true }),
        "hooks-doubled",
        "fail",
        /session-end is called 2 times: .*settings\.json, .*settings\.local\.json/,
        /uninstall/,
      ],
      [
        "another memory tool",
        ({ settings }) => edit(settings, addHook("uvx basic-memory hook")),
        "other-memory",
        "warn",
        /^basic-memory puts something/,
        /keep one/,
      ],
      [
        "complaints of a hook",
        ({ state }) =>
          appendFileSync(join(state, "hooks.log"), `${new Date().toISOString()} session-start: oh\n`),
        "hook-log",
        "warn",
        /1 complaint .* oh$/,
        /hooks\.log/,
      ],
      [
        "a failed build",
        (place) => beat(place, { outcome: "failed", reason: "no login" }),
        "last-build",
        "warn",
        /failed: no login/,
        /build/,
      ],
      [
        "a timer whose files are gone",
        ({ state }) => schedule(state, 1, ["/gone/x.timer"]),
        "schedule",
        "fail",
        /x\.timer is gone/,
        /schedule --at 03:30 --apply/,
      ],
      [
        "a dead timer",
        (place) => (schedule(place.state, 80), beat(place, {}, 50)),
        "schedule",
        "warn",
        /nothing ran for 50 hours/,
        /schedule/,
      ],
    ];
  test.each(cases)("%s", async (_, spoil, check, level, message, hint) => {
    using place = await home();
    await spoil(place);
    const { exit, checks } = await place.doctor();
    expect(checks[check]).toMatchObject({
      level,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(exit).toBe(level === "fail" ? 1 : 0);
  });
});

test("a quiet night is no dead timer", async () => {
  using place = await home();
  schedule(place.state, 80);
  beat(place, { outcome: "nothing-new" }, 10);
  expect((await place.doctor()).checks["schedule"]).toMatchObject({
    level: "pass",
    message: "every night at 03:30 by systemd",
  });
});

test("it says where each setting came from, and who would pay", async () => {
  using place = await home();
  const { checks, object } = await place.doctor({ MERGE_MODEL: "haiku", ANTHROPIC_API_KEY: "sk-ant-x" });
  expect(checks["payer-merge"]?.message).toMatch(
    /^MERGE_MODEL haiku: paid by the Claude account .*ANTHROPIC_API_KEY not used/,
  );
  expect(checks["settings"]?.message).toBe("MERGE_MODEL=haiku (environment)");
  expect(object["settings"]).toMatchObject({
    MERGE_MODEL: { value: "haiku", origin: "environment" },
    BLOCK_BUDGET: { value: 9500, origin: "default" },
  });
});

test("what is wrong with the store is said once", async () => {
  using place = await home();
  writeFileSync(place.store, "x".repeat(5000));
  const { all } = await place.doctor();
  expect(all.filter(({ message }) => message.includes("not an SQLite"))).toHaveLength(1);
});

interface Line {
  check: string;
  level: string;
  message: string;
  hint?: string;
}

interface Home extends Disposable {
  source: string;
  store: string;
  state: string;
  settings: string;
  run(options?: Record<string, unknown>, env?: Record<string, string>): ReturnType<typeof runToObject>;
  forPeople(): ReturnType<typeof runCommand>;
  doctor(
    env?: Record<string, string>,
  ): Promise<{ exit: number; object: Record<string, unknown>; all: Line[]; checks: Record<string, Line> }>;
  install(options?: Record<string, unknown>): Promise<unknown>;
}

/** A person for whom everything works: source, store, hooks, a build an hour ago, and a `claude` on the PATH. */
async function home(): Promise<Home> {
  const folder = temporaryFolder();
  const [source, store, state, settings] = [
    join(folder.path, ".claude-mem/claude-mem.db"),
    join(folder.path, ".local/share/persisted-memory/digests.db"),
    join(folder.path, ".local/state/persisted-memory"),
    join(folder.path, ".claude/settings.json"),
  ];
  const cwd = join(folder.path, "widgets-api");
  for (const path of [cwd, dirname(source), join(folder.path, "bin")]) mkdirSync(path);
  makeSource(source, [{}, {}]);
  makeStore(store, {
    "widgets-api": { gotcha: [{ text: "the queue drops jobs over 64 KB", sources: [7] }] },
  }).close();
  writeFileSync(join(folder.path, "bin/claude"), "#!/bin/sh\necho 2.1.0\n", { mode: 0o755 });
  const env = { HOME: folder.path, PATH: `${join(folder.path, "bin")}:${process.env["PATH"] ?? ""}` };
  const place: Home = {
    source,
    store,
    state,
    settings,
    run: (options = {}, more = {}) => runToObject(doctor, { env: { ...env, ...more }, cwd, options }),
    forPeople: () => runCommand(doctor, { env, cwd }),
    doctor: async (more) => {
      const { exit, object } = await place.run({}, more);
      const all = object["checks"] as Line[];
      return { exit, object, all, checks: Object.fromEntries(all.map((line) => [line.check, line])) };
    },
    install: (options = {}) => runCommand(install, { env, cwd, options: { apply: true, ...options } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
  await place.install();
  beat(place, {}, 1);
  return place;
}

function beat(
  { state, store }: Home,
  given: { outcome?: "failed" | "nothing-new"; reason?: string },
  hoursAgo = 1,
): void {
  writeHeartbeat(state, store, {
    at: hours(hoursAgo),
    outcome: "done",
    reason: null,
    sourceStamp: null,
    revisionCursor: 0,
    ...given,
  });
}

function schedule(state: string, hoursAgo: number, files: string[] = []): void {
  noteSchedule(state, { scheduler: "systemd", time: "03:30", since: hours(hoursAgo), files });
}

function hours(ago: number): string {
  return new Date(Date.now() - ago * 3_600_000).toISOString();
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

function addHook(command: string): (text: string) => string {
  return (text) => {
    const settings = JSON.parse(text);
    settings.hooks.SessionStart.push({ hooks: [{ type: "command", command }] });
    return JSON.stringify(settings);
  };
}
