import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import pkg from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/commands/table.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";

const FIXTURE = join(import.meta.dirname, "fixture.ts");
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const ours = (args: readonly string[], env?: Record<string, string>) =>
  runCli(args, { home: folder.path, ...(env && { env }) });
const fixture = (args: readonly string[], env?: Record<string, string>) =>
  runCli(args, { home: folder.path, entry: FIXTURE, ...(env && { env }) });

test("--version is the package's", async () => {
  expect(await ours(["--version"])).toEqual({ code: 0, stdout: `${pkg.version}\n`, stderr: "" });
});

test("--help lists every command and the exit codes", async () => {
  const { code, stdout } = await ours(["--help"]);
  expect(code).toBe(0);
  expect(COMMANDS.length).toBeGreaterThan(0);
  for (const name of new Set(COMMANDS.map((spec) => spec.name.split(" ")[0]))) {
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  }
  expect(stdout).toContain("130  interrupted");
});

test("without a command: help on stderr, exit 2", async () => {
  const { code, stdout, stderr } = await ours([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^Usage: persisted-memory/);
  expect(stderr).toContain("a command is needed");
});

interface Mistake {
  args: string[];
  code: string;
  message: string;
  hint: string;
}

const MISTAKES: Mistake[] = [
  { args: ["braeks"], code: "unknown-command", message: "braeks", hint: "Did you mean breaks?" },
  { args: ["nested", "dep"], code: "unknown-command", message: "dep", hint: "Did you mean deep?" },
  { args: ["deep"], code: "unknown-command", message: "deep", hint: "Did you mean nested deep?" },
  { args: ["zzzzzz"], code: "unknown-command", message: "zzzzzz", hint: "see `persisted-memory --help`" },
  {
    args: ["nested", "zzzzzz"],
    code: "unknown-command",
    message: "zzzzzz",
    hint: "see `persisted-memory nested --help`",
  },
  { args: ["breaks", "--jsn"], code: "unknown-option", message: "--jsn", hint: "Did you mean --json?" },
  {
    args: ["breaks", "--zzzzzz"],
    code: "unknown-option",
    message: "--zzzzzz",
    hint: "see `persisted-memory breaks --help`",
  },
  {
    args: ["breaks", "it"],
    code: "excess-arguments",
    message: "too many arguments",
    hint: "see `persisted-memory breaks --help`",
  },
  {
    args: ["nested"],
    code: "no-command",
    message: "a command is needed",
    hint: "see `persisted-memory nested --help`",
  },
];

test.each(MISTAKES)("$args is a usage error: $code, $hint", async ({ args, code, message, hint }) => {
  const [plain, json] = await Promise.all([fixture(args), fixture([...args, "--json"])]);
  expect(plain.code).toBe(2);
  expect(plain.stdout).toBe("");
  expect(plain.stderr).toContain(`hint: ${hint}\n`);
  expect(plain.stderr).not.toMatch(/\bat .*:\d+:\d+/);
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toEqual({
    schemaVersion: 1,
    error: { code, message: expect.stringContaining(message), hint },
  });
});

test("--json counts before the command too, and not behind --", async () => {
  expect(JSON.parse((await fixture(["--json", "refuses"])).stdout)).toMatchObject({
    error: { code: "not-today" },
  });
  expect((await fixture(["refuses", "--", "--json"])).stdout).toBe("");
});

test("a mistake of the person's: one line and a hint; its cause only for who debugs", async () => {
  const plain = await fixture(["refuses"]);
  expect(plain).toEqual({
    code: 4,
    stdout: "",
    stderr: "error: no\nhint: see `persisted-memory refuses --help`\n",
  });
  const debugged = await fixture(["refuses"], { PERSISTED_MEMORY_DEBUG: "1" });
  expect(debugged.stderr).toContain("the deeper reason");
});

test("a bug of ours says so in one line; the stack only for who debugs", async () => {
  const plain = await fixture(["breaks"]);
  expect(plain.code).toBe(1);
  expect(plain.stdout).toBe("");
  expect(plain.stderr).toBe(
    `error: a bug in persisted-memory ${pkg.version}: TypeError: undefined is not an object\n` +
      "hint: nothing that was stored is lost; please report it with what PERSISTED_MEMORY_DEBUG=1 adds\n",
  );
  const json = await fixture(["breaks", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "bug" } });
  const debugged = await fixture(["breaks"], { PERSISTED_MEMORY_DEBUG: "1" });
  expect(debugged.stderr).toMatch(/fixture\.ts:\d+/);
});

test("what the system refuses is no bug: exit 3, and it says what", async () => {
  const { code, stdout } = await fixture(["stumbles", "--json"]);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: "system", message: expect.stringContaining("/dev/null/folder"), hint: expect.any(String) },
  });
});

test.each([
  [["read", ""], "an argument of read is empty"],
  [["build", "app", ""], "an argument of build is empty"],
  [["build", "--type", ""], "--type of build is empty"],
])("%j is a usage error", async (args, message) => {
  const { code, stdout } = await ours([...args, "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "empty-argument", message } });
});

const configured = async (config: string, args = ["paints", "--json"]) => {
  using home = temporaryFolder();
  mkdirSync(join(home.path, "persisted-memory"));
  writeFileSync(join(home.path, "persisted-memory", "config.json"), config);
  return await fixture(args, { XDG_CONFIG_HOME: home.path });
};

test.each(["true", "null", "[300]", "{}", '"3e2"', '"0x200"', "300.5", '"300 units"', "199", "1000001"])(
  "CELL_BUDGET of %s in config.json is refused, with what it may be",
  async (value) => {
    const { code, stdout } = await configured(`{"CELL_BUDGET":${value}}`);
    expect(code).toBe(2);
    const { error } = JSON.parse(stdout);
    expect(error.code).toBe("bad-setting");
    expect(error.message).toMatch(
      /CELL_BUDGET \(config file\) is .*: (not a whole|less than 200|more than 1000000)/,
    );
  },
);

test.each(["300", '"300"', '" 300 "'])("CELL_BUDGET of %s in config.json is taken", async (value) => {
  expect((await configured(`\uFEFF{"CELL_BUDGET":${value}}`, ["paints"])).code).toBe(0);
});

test("a misspelt setting in config.json is named, and the work goes on", async () => {
  const { code, stdout, stderr } = await configured('{"CELL_BUDGTE":300}', ["paints"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "red\n" });
  expect(stderr).toContain('"CELL_BUDGTE"');
  expect(stderr).toContain("did you mean CELL_BUDGET?");
});

test("a broken configuration is the person's mistake too, and help still works", async () => {
  using home = temporaryFolder();
  mkdirSync(join(home.path, "persisted-memory"));
  writeFileSync(join(home.path, "persisted-memory", "config.json"), "{");
  const env = { XDG_CONFIG_HOME: home.path };
  const { code, stdout, stderr } = await fixture(["paints", "--json"], env);
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "config-invalid", hint: expect.any(String) } });
  const setting = await fixture(["paints", "--json"], { CELL_BUDGET: "lots" });
  expect(setting.code).toBe(2);
  expect(JSON.parse(setting.stdout)).toMatchObject({ error: { code: "bad-setting" } });
  expect((await fixture(["paints", "--help"], env)).code).toBe(0);
});

test("a working directory that was removed is no bug", async () => {
  const gone = temporaryFolder();
  const script = 'cd "$0" && "$1" -e "require(\'fs\').rmdirSync(process.cwd())" && "$1" "$2" paints';
  const child = Bun.spawn(["sh", "-c", script, gone.path, process.execPath, FIXTURE], {
    env: { HOME: folder.path, PATH: process.env["PATH"] ?? "" },
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toContain("error: the working directory is gone");
  expect(await child.exited).toBe(3);
});

test.each([
  ["a terminal", {}, "\u001b[31mred\u001b[39m\r\n"],
  ["a terminal with NO_COLOR", { NO_COLOR: "1" }, "red\r\n"],
  ["a terminal with an empty NO_COLOR", { NO_COLOR: "" }, "\u001b[31mred\u001b[39m\r\n"],
  ["a dumb terminal", { TERM: "dumb" }, "red\r\n"],
])("colours in %s", async (_, env, expected) => {
  expect(await inTerminal(["paints"], env)).toBe(expected);
});

test("no colours in a pipe, whatever is forced", async () => {
  expect((await fixture(["paints"], { FORCE_COLOR: "1" })).stdout).toBe("red\n");
});

test("a reader that has seen enough is no error, and the work goes on to its end", async () => {
  const child = spawn(["talks"], { stdout: "pipe", stderr: "pipe" });
  const reader = child.stdout.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^line 0 x+\n/);
  await reader.cancel();
  expect(await new Response(child.stderr).text()).toBe("got to the end\n");
  expect(await child.exited).toBe(0);
});

test("output that cannot be written is exit 3", async () => {
  const child = spawn(["talks"], { stdout: Bun.file("/dev/full"), stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toContain("error: cannot write the output");
  expect(await child.exited).toBe(3);
});

test("Ctrl-C ends with 130 and a word, not with a stack", async () => {
  const child = spawn(["waits"], { stdout: "ignore", stderr: "pipe" });
  const stderr = child.stderr.getReader();
  const first = await stderr.read();
  child.kill("SIGINT");
  const rest = await stderr.read();
  expect(await child.exited).toBe(130);
  expect(new TextDecoder().decode(first.value)).toBe("waiting\n");
  expect(new TextDecoder().decode(rest.value)).toMatch(/^error: interrupted\nhint: /);
});

function spawn<Out extends "pipe" | "ignore" | Bun.BunFile>(
  args: readonly string[],
  streams: { stdout: Out; stderr: "pipe" },
) {
  return Bun.spawn([process.execPath, FIXTURE, ...args], { env: { HOME: folder.path }, ...streams });
}

async function inTerminal(args: readonly string[], env: Record<string, string>): Promise<string> {
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, FIXTURE, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder.path, TERM: "xterm", ...env },
    terminal: { data: (_, bytes) => void (shown += decoder.decode(bytes, { stream: true })) },
  });
  await child.exited;
  child.terminal?.close();
  return shown;
}
