import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Nightly, SCHEDULERS, scheduleFor } from "../../src/claude/schedule.ts";
import { run as schedule } from "../../src/commands/schedule.ts";
import { temporaryFolder } from "../support/cli.ts";
import { runCommand, runToObject } from "../support/command.ts";

const NIGHTLY: Nightly = {
  hour: 3,
  minute: 5,
  words: ["/opt/my bun/bun", "--env-file=/home/o'neil & co/50% off/env", "/srv/$x/cli.js", "build", "--yes"],
  log: "/var/my log/nightly.log",
};
const ENV = { HOME: "/home/me", LOCALAPPDATA: "/local" };

describe("paths with blanks, quotes, % and $ arrive whole", () => {
  const given = { env: ENV, crontab: "" };

  test("systemd", () => {
    const [service, timer] = scheduleFor("systemd", NIGHTLY, given).files;
    expect(service?.path).toBe("/home/me/.config/systemd/user/persisted-memory.service");
    expect(service?.content).toContain(
      `ExecStart="/opt/my bun/bun" "--env-file=/home/o'neil & co/50%% off/env" "/srv/$$x/cli.js" "build" "--yes"\n`,
    );
    expect(service?.content).toContain("StandardOutput=append:/var/my log/nightly.log\n");
    expect(timer?.content).toContain("OnCalendar=*-*-* 03:05:00\n");
    expect(timer?.content).toContain("Persistent=true\n");
  });

  test("launchd", () => {
    const [plist] = scheduleFor("launchd", NIGHTLY, given).files;
    expect(plist?.path).toBe("/home/me/Library/LaunchAgents/persisted-memory.nightly.plist");
    expect(plist?.content).toContain("<string>--env-file=/home/o'neil &amp; co/50% off/env</string>");
    expect(plist?.content).toMatch(
      /<key>Hour<\/key>\s*<integer>3<\/integer>\s*<key>Minute<\/key>\s*<integer>5</,
    );
  });

  test("cron: as a shell reads the line that cron makes of it", () => {
    const { start, files } = scheduleFor("cron", NIGHTLY, given);
    const line = start[0]?.input?.trim() ?? "";
    expect(files).toEqual([]);
    expect(line).toMatch(/^5 3 \* \* \* .* >> '\/var\/my log\/nightly\.log' 2>&1 # persisted-memory$/);
    const command = line
      .replace(/^\S+ \S+ \S+ \S+ \S+ /, "")
      .replaceAll(String.raw`\%`, "%")
      .replace(/ >>.*/, "");
    const echoed = Bun.spawnSync(["sh", "-c", `printf '%s\\n' ${command}`]).stdout.toString();
    expect(echoed.trimEnd().split("\n")).toEqual(NIGHTLY.words);
  });

  test("Windows", () => {
    const { files, start } = scheduleFor("windows", NIGHTLY, given);
    expect(files[0]?.content).toContain("<Command>cmd.exe</Command>");
    expect(files[0]?.content).toContain(
      `/d /s /c ""/opt/my bun/bun" "--env-file=/home/o'neil &amp; co/50% off/env"`,
    );
    expect(files[0]?.content).toContain("<StartBoundary>2026-01-01T03:05:00</StartBoundary>");
    expect(start[0]?.words).toEqual([
      "schtasks",
      "/Create",
      "/F",
      "/TN",
      "persisted-memory",
      "/XML",
      files[0]?.path,
    ]);
  });
});

test("other lines of a crontab stay, an earlier one of ours is replaced", () => {
  const crontab = "MAILTO=me\n0 1 * * * backup\n1 1 * * * old # persisted-memory\n";
  const { start, stop } = scheduleFor("cron", NIGHTLY, { env: ENV, crontab });
  expect(start[0]?.input).toMatch(/^MAILTO=me\n0 1 \* \* \* backup\n5 3 .* # persisted-memory\n$/);
  expect(stop[0]?.input).toBe("MAILTO=me\n0 1 * * * backup\n");
});

test.each(SCHEDULERS)("%s: printed by default, and nothing is touched", async (scheduler) => {
  using place = machine();
  const { exit, stdout } = await place.schedule({ with: scheduler });
  expect(exit).toBe(0);
  expect(stdout).toContain("Nothing was installed.");
  expect(stdout).toContain("at most 100 model calls (MAX_CALLS_PER_RUN)");
  expect(place.calls()).not.toMatch(/enable|bootstrap|crontab -$|Create/m);
  expect(existsSync(join(place.home, ".config"))).toBe(false);
});

test("systemd: installed, installed again, removed", async () => {
  using place = machine();
  for (const at of ["02:15", "04:45"]) await place.schedule({ with: "systemd", at, apply: true });
  const unit = (name: string) => join(place.home, ".config/systemd/user", `persisted-memory.${name}`);
  expect(readFileSync(unit("timer"), "utf8")).toContain("OnCalendar=*-*-* 04:45:00");
  expect(readFileSync(unit("service"), "utf8")).toMatch(/ExecStart=.*cli\.js" "build" "--yes"/);
  expect(place.calls()).toBe(
    [
      "systemctl --user daemon-reload",
      "systemctl --user enable --now persisted-memory.timer",
      "systemctl --user disable --now persisted-memory.timer",
      "systemctl --user daemon-reload",
      "systemctl --user enable --now persisted-memory.timer",
      "",
    ].join("\n"),
  );
  const { stdout } = await place.schedule({ remove: true, apply: true });
  expect(stdout).toContain("Removed.");
  expect([unit("timer"), unit("service")].filter((path) => existsSync(path))).toEqual([]);
});

test("keys stay out of the unit; what only the shell knows goes into a file of the user's alone", async () => {
  using place = machine();
  const env = {
    DIGEST_DB: join(place.home, "my digests.db"),
    OPENAI_API_KEY: "sk-secret",
    MERGE_MODEL: "haiku",
  };
  const { object } = await place.object({ with: "systemd", apply: true }, env);
  expect(JSON.stringify(object)).not.toContain("sk-secret");
  const file = String(object["envFile"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(`DIGEST_DB="${env.DIGEST_DB}"\nMERGE_MODEL="haiku"\n`);
  const seen = Bun.spawnSync(
    [process.execPath, `--env-file=${file}`, "-e", "console.log(process.env.DIGEST_DB)"],
    { env: {} },
  );
  expect(seen.stdout.toString().trim()).toBe(env.DIGEST_DB);
  writeFileSync(file, "MINE=1\n");
  await place.schedule({ with: "systemd", apply: true }, env);
  expect(readFileSync(file, "utf8")).toBe("MINE=1\n");
});

test("a scheduler that refuses leaves nothing behind", async () => {
  using place = machine({ systemctl: "echo 'no user bus' >&2; exit 1" });
  const { exit, object } = await place.object({ with: "systemd", apply: true });
  expect(exit).toBe(3);
  expect(object).toMatchObject({ code: "scheduler-failed", message: expect.stringContaining("no user bus") });
  expect(existsSync(join(place.home, ".config/systemd/user/persisted-memory.timer"))).toBe(false);
});

test("a crontab that cannot be read is not taken for an empty one", async () => {
  using place = machine({ crontab: "echo 'permission denied' >&2; exit 1" });
  expect((await place.object({ with: "cron", apply: true })).object).toMatchObject({
    code: "scheduler-failed",
  });
  expect(place.calls()).toBe("crontab -l\n");
});

test.each(["24:00", "3", "03:60", "noon"])("--at %s is a usage error", async (at) => {
  using place = machine();
  expect((await place.object({ at })).object).toMatchObject({ code: "bad-option" });
});

interface Machine extends Disposable {
  home: string;
  schedule(options: Record<string, unknown>, env?: Record<string, string>): ReturnType<typeof runCommand>;
  object(options: Record<string, unknown>, env?: Record<string, string>): ReturnType<typeof runToObject>;
  /** What the schedulers' programs were called with, a line each. */
  calls(): string;
}

/** A home with stand-ins for the schedulers' programs, which do as they are told and write it down. */
function machine(scripts: Record<string, string> = {}): Machine {
  const folder = temporaryFolder();
  const home = folder.path;
  const [bin, log] = [join(home, "bin"), join(home, "calls")];
  mkdirSync(bin);
  writeFileSync(log, "");
  const usual = {
    systemctl: "",
    launchctl: "",
    schtasks: "",
    crontab: `[ "$1" = - ] || { echo "no crontab for me" >&2; exit 1; }`,
  };
  for (const [name, script] of Object.entries({ ...usual, ...scripts })) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> "${log}"\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const path = `${bin}:${process.env["PATH"] ?? ""}`;
  const given = (options: Record<string, unknown>, env: Record<string, string>) => ({
    env: { HOME: home, PATH: path, ...env },
    cwd: home,
    options,
  });
  return {
    home,
    schedule: (options, env = {}) => runCommand(schedule, given(options, env)),
    object: (options, env = {}) => runToObject(schedule, given(options, env)),
    calls: () => readFileSync(log, "utf8"),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
