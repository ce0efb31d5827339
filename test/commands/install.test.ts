import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hooksIn } from "../../src/claude/hook-entries.ts";
import { run as install } from "../../src/commands/install.ts";
import { run as uninstall } from "../../src/commands/uninstall.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { runCommand, runToObject } from "../support/command.ts";

const OTHERS = `{
  "model": "opus",
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [{ "type": "command", "command": "other-tool  start" }] }
    ],
    "Stop": []
  },
  "zeta": [1,2]
}
`;
const OURS = (command: string) => `{"type":"command","command":${JSON.stringify(command)},"timeout":10}`;
const OLD = '"/gone/bun" "/gone/persisted-memory/src/hook.ts" session-start';
const BOM = "\ufeff";

describe("installing twice and uninstalling gives the bytes of before", () => {
  const shapes: [string, string][] = [
    ["empty", ""],
    ["an empty object", "{}"],
    ["an empty object on two lines", "{\n}\n"],
    ["one line", '{"model":"opus","env":{"A":"b"}}'],
    ["with other hooks", OTHERS],
    ["with empty hooks", '{\n    "hooks": { }\n}'],
    ["with an empty event", '{"hooks":{"SessionStart":[ ]}}'],
    ["with a BOM", BOM + OTHERS],
    ["with CRLF", OTHERS.replaceAll("\n", "\r\n")],
    ["with tabs", OTHERS.replaceAll(/^( {2})+/gm, (blanks) => "\t".repeat(blanks.length / 2))],
    ["in Japanese, escaped and not", '{\n  "language": "日本語 \\u65e5"\n}'],
  ];
  test.each(shapes)("%s", async (_, original) => {
    using place = home(original);
    await place.install();
    const once = place.read();
    await place.install();
    expect(place.read()).toBe(once);
    expect(place.ours()).toEqual(["session-start", "session-end"]);
    expect(once.startsWith(BOM)).toBe(original.startsWith(BOM));
    expect(/(?<!\r)\n/.test(once)).toBe(!original.includes("\r\n"));
    await place.uninstall();
    expect(place.read()).toBe(original);
  });

  test("none: there is none again", async () => {
    using place = home(null);
    await place.install();
    await place.install();
    expect(place.ours()).toEqual(["session-start", "session-end"]);
    expect(statSync(place.settings).mode & 0o777).toBe(0o600);
    await place.uninstall();
    expect(existsSync(place.settings)).toBe(false);
  });

  test("behind a symbolic link, which stays one", async () => {
    using place = home(null);
    const target = join(place.path, "dotfiles", "claude.json");
    put(target, OTHERS);
    symlinkSync(target, place.settings);
    await place.install();
    expect(lstatSync(place.settings).isSymbolicLink()).toBe(true);
    expect(
      hooksIn(JSON.parse(readFileSync(target, "utf8"))).filter(({ name }) => name !== null),
    ).toHaveLength(2);
    await place.uninstall();
    expect(readFileSync(target, "utf8")).toBe(OTHERS);
  });
});

describe("hooks of ours that are there already", () => {
  test("an old one is brought up to date where it stands", async () => {
    using place = home(
      `{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[${OURS(OLD)},${OURS("other")}]}]}}`,
    );
    await place.install();
    expect(place.commands("SessionStart")).toEqual([
      expect.stringMatching(/hook\.js" session-start --/),
      "other",
    ]);
    expect(place.read()).toContain('"matcher":"startup"');
  });

  test("twice the same becomes one", async () => {
    using place = home(`{"hooks":{"SessionStart":[{"hooks":[${OURS(OLD)}]},{"hooks":[${OURS(OLD)}]}]}}`);
    await place.install();
    expect(place.ours()).toEqual(["session-start", "session-end"]);
  });

  test("an entry as we would write it is left as it is", async () => {
    using place = home("{}");
    await place.install();
    const { object } = await place.install();
    expect(object).toMatchObject({ changed: false, applied: false, backup: null });
  });

  test("uninstall takes them all and nothing else, also without a record of installing", async () => {
    using place = home(
      `{"hooks":{"SessionStart":[{"hooks":[${OURS(OLD)},${OURS("bun /x/src/hook.ts session-start")}]}]},"a":1}`,
    );
    await place.uninstall();
    expect(place.read()).toBe(
      `{"hooks":{"SessionStart":[{"hooks":[${OURS("bun /x/src/hook.ts session-start")}]}]},"a":1}`,
    );
  });

  test("what somebody wrote in between stays", async () => {
    using place = home(OTHERS);
    await place.install();
    writeFileSync(place.settings, place.read().replace('"opus"', '"haiku"'));
    await place.uninstall();
    expect(place.read()).toBe(OTHERS.replace('"opus"', '"haiku"'));
  });

  test("other hooks of ours than those asked for stay", async () => {
    using place = home("{}");
    await place.install({ hooks: "pre-compact" });
    await place.install({ hooks: "post-tool-use" });
    expect(place.ours()).toEqual(["pre-compact", "post-tool-use"]);
    expect(place.read()).toContain('"matcher": "Write|Edit|MultiEdit"');
  });
});

describe("what cannot be edited is left alone, with a message", () => {
  const refused: [string, string, RegExp][] = [
    ["no JSON", '{"model": }', /not valid JSON/],
    [
      "JSON with comments, which Claude Code cannot read either",
      '{\n  // mine\n  "a": 1\n}',
      /not valid JSON/,
    ],
    ["a list", "[]", /not a JSON object/],
    ["hooks in a list", '{"hooks":[]}', /"hooks" is not an object/],
    ["an event that is no list", '{"hooks":{"SessionStart":{}}}', /"hooks.SessionStart" is not an array/],
    ["hooks twice", '{"hooks":{},"hooks":{}}', /two "hooks"/],
  ];
  test.each(refused)("%s", async (_, original, message) => {
    using place = home(original);
    for (const { exit, object } of [await place.install(), await place.uninstall()]) {
      expect(exit).toBe(3);
      expect(object).toMatchObject({ code: "settings-unusable", message: expect.stringMatching(message) });
    }
    expect(place.read()).toBe(original);
  });

  test("a read-only file", async () => {
    using place = home(OTHERS);
    chmodSync(place.settings, 0o444);
    expect((await place.install()).object).toMatchObject({ code: "settings-read-only" });
    expect(place.read()).toBe(OTHERS);
  });

  test("a link to nothing", async () => {
    using place = home(null);
    symlinkSync("/nowhere/settings.json", place.settings);
    expect((await place.install()).object).toMatchObject({ code: "settings-dangling" });
  });

  test("bytes that are no text", async () => {
    using place = home(null);
    writeFileSync(place.settings, Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await place.install()).object).toMatchObject({ code: "settings-not-text" });
  });
});

test("without --apply the diff is shown and nothing is written", async () => {
  using place = home(OTHERS);
  const { stdout } = await place.preview();
  expect(stdout).toMatch(/^\+.*"command": .*session-start/m);
  expect(stdout).toContain("Nothing was written. `persisted-memory install --apply` writes it.");
  expect(place.read()).toBe(OTHERS);
  expect(existsSync(join(place.path, ".local"))).toBe(false);
});

test("a copy of the file is kept, for the user alone, and the file's mode stays", async () => {
  using place = home(OTHERS);
  chmodSync(place.settings, 0o640);
  const { object } = await place.install();
  expect(readFileSync(String(object["backup"]), "utf8")).toBe(OTHERS);
  expect(statSync(String(object["backup"])).mode & 0o777).toBe(0o600);
  expect(statSync(place.settings).mode & 0o777).toBe(0o640);
});

describe("which file", () => {
  test.each([
    [{}, ".claude/settings.json"],
    [{ project: true }, "work/.claude/settings.json"],
    [{ local: true }, "work/.claude/settings.local.json"],
  ])("%o: %s", async (options, file) => {
    using place = home(null);
    await place.install(options);
    expect(existsSync(join(place.path, file))).toBe(true);
    await place.uninstall(options);
    expect(existsSync(join(place.path, file))).toBe(false);
  });

  test("CLAUDE_CONFIG_DIR moves the user's", async () => {
    using place = home(null);
    await place.install({}, { CLAUDE_CONFIG_DIR: join(place.path, "elsewhere") });
    expect(readdirSync(join(place.path, "elsewhere"))).toEqual(["settings.json"]);
  });

  test("not two at once", async () => {
    using place = home(null);
    expect((await place.install({ project: true, local: true })).object).toMatchObject({
      code: "two-scopes",
    });
  });
});

test("an unknown hook is a usage error with the nearest name", async () => {
  using place = home(null);
  const { exit, object } = await place.install({ hooks: "session-strat" });
  expect(exit).toBe(2);
  expect(object).toMatchObject({ code: "unknown-hook", hint: "did you mean session-start?" });
});

test("claude-mem's own list is named, with how to lower it and how to undo that", async () => {
  using place = home('{"enabledPlugins":{"claude-mem@thedotmack":true}}');
  const plugin = join(place.path, ".claude/plugins/cache/claude-mem");
  put(join(plugin, "hooks/hooks.json"), `{"hooks":{"SessionStart":[{"hooks":[${OURS("node worker")}]}]}}`);
  const installed = { version: 2, plugins: { "claude-mem@thedotmack": [{ installPath: plugin }] } };
  put(join(place.path, ".claude/plugins/installed_plugins.json"), JSON.stringify(installed));
  put(join(place.path, ".claude-mem/settings.json"), '{"CLAUDE_MEM_CONTEXT_OBSERVATIONS":"30"}');
  const { object } = await place.install();
  expect(object["notes"]).toContainEqual(
    expect.stringMatching(
      /^claude-mem puts something .*"CLAUDE_MEM_CONTEXT_OBSERVATIONS": "0"; to undo it, "30"$/,
    ),
  );
  put(join(place.path, ".claude-mem/settings.json"), '{"CLAUDE_MEM_CONTEXT_OBSERVATIONS":"0"}');
  expect(String((await place.install()).object["notes"])).not.toContain("to undo");
});

test("the command that is written runs in a shell, from a home with spaces, whatever the folder's own files say", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "my home");
  mkdirSync(join(path, "work"), { recursive: true });
  put(join(path, "work/bunfig.toml"), 'preload = ["./evil.ts"]\n');
  put(join(path, "work/evil.ts"), `await Bun.write(${JSON.stringify(join(path, "evil"))}, "x");`);
  put(join(path, "work/.env"), `HOME=${join(path, "evil-home")}\n`);
  const { code, stdout } = await runCli(["install", "--apply", "--json"], {
    home: path,
  });
  expect(code).toBe(0);
  for (const { command } of JSON.parse(stdout).hooks) {
    const child = Bun.spawnSync(["sh", "-c", command], {
      cwd: join(path, "work"),
      env: { HOME: path },
      stdin: Buffer.from("{}"),
    });
    expect({ code: child.exitCode, stderr: child.stderr.toString() }).toEqual({ code: 0, stderr: "" });
  }
  expect(existsSync(join(path, "evil"))).toBe(false);
  expect(existsSync(join(path, "evil-home"))).toBe(false);
});

interface Home extends Disposable {
  path: string;
  settings: string;
  read(): string;
  /** Our hooks in the file, in its order. */
  ours(): (string | null)[];
  commands(event: string): string[];
  install(options?: Record<string, unknown>, env?: Record<string, string>): ReturnType<typeof runToObject>;
  uninstall(options?: Record<string, unknown>): ReturnType<typeof runToObject>;
  /** `install` without `--apply`, as a person sees it. */
  preview(): ReturnType<typeof runCommand>;
}

function home(content: string | null): Home {
  const folder = temporaryFolder();
  const { path } = folder;
  const settings = join(path, ".claude", "settings.json");
  const cwd = join(path, "work");
  mkdirSync(cwd);
  mkdirSync(dirname(settings));
  if (content !== null) writeFileSync(settings, content);
  const env = { HOME: path, PATH: process.env["PATH"] ?? "" };
  const read = () => readFileSync(settings, "utf8");
  const hooks = () => hooksIn(JSON.parse(read().replace(BOM, "")));
  return {
    path,
    settings,
    read,
    ours: () => hooks().flatMap(({ name }) => name ?? []),
    commands: (event) => hooks().flatMap((hook) => (hook.event === event ? [hook.command] : [])),
    install: (options = {}, more = {}) =>
      runToObject(install, { env: { ...env, ...more }, cwd, options: { apply: true, ...options } }),
    uninstall: (options = {}) => runToObject(uninstall, { env, cwd, options: { apply: true, ...options } }),
    preview: () => runCommand(install, { env, cwd }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
