import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeCli } from "../../src/model/claude-cli.ts";
import { temporaryFolder } from "../support/cli.ts";
import { type ClaudeSpec, type FakeClaude, answers, claudeSays, fakeClaude } from "../support/fake-claude.ts";
import { LIMIT_MS } from "../support/model-behaviours.ts";
import { PROMPT, modelContract } from "../support/model-contract.ts";

const NEVER = new AbortController().signal;
const BASE = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };

function setUp(
  folder: string,
  spec: ClaudeSpec,
  options: { env?: Record<string, string>; useApiKey?: boolean; timeoutMs?: number } = {},
) {
  const claude = fakeClaude(join(folder, "bin"), spec);
  const warnings: string[] = [];
  const model = claudeCli({
    model: "haiku",
    env: { ...BASE, PATH: `${claude.folder}:${BASE.PATH}`, ...options.env },
    useApiKey: options.useApiKey ?? false,
    timeoutMs: options.timeoutMs ?? LIMIT_MS,
    workingFolder: join(folder, "neutral"),
    warn: (text) => warnings.push(text),
  });
  return { claude, model, warnings };
}

function only(claude: FakeClaude) {
  const [call, ...more] = claude.calls();
  expect(more).toEqual([]);
  if (call === undefined) throw new Error("claude was not started");
  return call;
}

describe("a program named claude", () => {
  modelContract(async (behaviour, timeoutMs) => {
    const folder = temporaryFolder();
    const { model } = setUp(folder.path, claudeSays(behaviour), timeoutMs === undefined ? {} : { timeoutMs });
    return { model, stop: () => folder[Symbol.dispose]() };
  });
});

test("is started lean, in a folder of ours, with the prompt on stdin", async () => {
  using folder = temporaryFolder();
  const { claude, model } = setUp(folder.path, answers("fine"));
  await model(PROMPT, NEVER);
  const call = only(claude);
  expect(call.argv).toEqual([
    "-p",
    "--model",
    "haiku",
    "--output-format",
    "json",
    "--no-session-persistence",
    "--setting-sources=",
    "--strict-mcp-config",
    "--tools=",
    "--disable-slash-commands",
    "--settings",
    '{"disableAllHooks":true,"permissions":{"deny":["Read"]}}',
    "--system-prompt",
    PROMPT.system,
  ]);
  expect(call.stdin).toBe(PROMPT.user);
  expect(call.cwd).toBe(join(folder.path, "neutral"));
  expect(call.env).toMatchObject({
    PERSISTED_MEMORY_INTERNAL: "1",
    CLAUDE_MEM_INTERNAL: "1",
    CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
    CLAUDE_CODE_MAX_RETRIES: "2",
  });
});

test("asks once which options the installed version knows, and leaves out the others", async () => {
  using folder = temporaryFolder();
  const knows = ["--print", "--model", "--output-format", "--settings", "--no-session-persistence"];
  const { claude, model } = setUp(folder.path, { ...answers("fine"), knows });
  await model(PROMPT, NEVER);
  expect(await model(PROMPT, NEVER)).toMatchObject({ kind: "answered" });
  expect(claude.allCalls().map(({ argv }) => argv[0])).toEqual(["--help", "-p", "-p"]);
  const [first] = claude.calls();
  expect(first?.argv.filter((word) => word.startsWith("--")).toSorted()).toEqual(knows.slice(1).toSorted());
  expect(first?.stdin).toBe(`${PROMPT.system}\n\n${PROMPT.user}`);
});

test("a version that cannot switch hooks off is named in a warning", async () => {
  using folder = temporaryFolder();
  const { model, warnings } = setUp(folder.path, {
    ...answers("fine"),
    knows: ["--print", "--model", "--output-format"],
  });
  await model(PROMPT, NEVER);
  expect(warnings).toEqual([expect.stringContaining("too old to switch hooks off")]);
});

test("a help that promises too much is put right by one more start with the least", async () => {
  using folder = temporaryFolder();
  const knows = ["--print", "--model", "--output-format"];
  const help = "--print --tools --settings --system-prompt";
  const { claude, model, warnings } = setUp(folder.path, { ...answers("fine"), knows, help });
  expect(await model(PROMPT, NEVER)).toMatchObject({ kind: "answered", usage: { calls: 1 } });
  await model(PROMPT, NEVER);
  expect(claude.calls()).toHaveLength(3);
  expect(claude.calls()[2]?.argv).toEqual(["-p", "--model", "haiku", "--output-format", "json"]);
  expect(warnings).toEqual([expect.stringContaining("too old to switch hooks off")]);
});

test("an aborted first call does not spoil the next", async () => {
  using folder = temporaryFolder();
  const { model } = setUp(folder.path, answers("fine"));
  const abort = new AbortController();
  const first = model(PROMPT, abort.signal);
  abort.abort(new Error("Ctrl-C"));
  await expect(first).rejects.toThrow("Ctrl-C");
  expect(await model(PROMPT, NEVER)).toMatchObject({ kind: "answered" });
});

test.each([
  ["a path after @", "see @/etc/passwd", "see @\u200b/etc/passwd"],
  ["a package after @", 'import "@scope/pkg"', 'import "@\u200bscope/pkg"'],
  ["a lone @", "meet @ noon", "meet @ noon"],
  ["a slash at the start", "/help me", "The text begins here.\n/help me"],
])("%s cannot act", async (_, user, sent) => {
  using folder = temporaryFolder();
  const { claude, model } = setUp(folder.path, answers("fine"));
  await model({ ...PROMPT, user }, NEVER);
  expect(only(claude).stdin).toBe(sent);
});

test("what was put in against mentions is taken out of the answer", async () => {
  using folder = temporaryFolder();
  const { model } = setUp(folder.path, answers("uses @\u200bscope/pkg"));
  expect(await model(PROMPT, NEVER)).toMatchObject({ text: "uses @scope/pkg" });
});

test("no program: paused, nothing started", async () => {
  using folder = temporaryFolder();
  const model = claudeCli({
    model: "haiku",
    env: { PATH: folder.path, HOME: folder.path },
    executable: join(folder.path, "missing"),
    useApiKey: false,
    timeoutMs: LIMIT_MS,
    workingFolder: folder.path,
    warn: () => undefined,
  });
  expect(await model(PROMPT, NEVER)).toMatchObject({ kind: "paused", usage: { calls: 0 } });
});

test("a gateway's address is left out with a warning, a loopback one stays", async () => {
  using folder = temporaryFolder();
  const gateway = setUp(join(folder.path, "a"), answers("fine"), {
    env: { ANTHROPIC_BASE_URL: "https://gateway.example/x" },
  });
  await gateway.model(PROMPT, NEVER);
  expect(only(gateway.claude).env).not.toHaveProperty("ANTHROPIC_BASE_URL");
  expect(gateway.warnings).toEqual([expect.stringContaining("gateway.example")]);
  const local = setUp(join(folder.path, "b"), answers("fine"), {
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:4000" },
  });
  await local.model(PROMPT, NEVER);
  expect(only(local.claude).env).toMatchObject({ ANTHROPIC_BASE_URL: "http://127.0.0.1:4000" });
  expect(local.warnings).toEqual([]);
});

test("nothing that it started outlives the time limit", async () => {
  using folder = temporaryFolder();
  const claude = fakeClaude(join(folder.path, "bin"), answers("fine"));
  const alive = join(folder.path, "alive");
  // leaves a stubborn grandchild in the background that holds the output open and would write a file
  await Bun.write(
    claude.executable,
    `#!/bin/sh\n[ "$1" = --help ] && exit 0\n(trap "" TERM; sleep 3; touch "${alive}") &\nsleep 60\n`,
  );
  const model = claudeCli({
    model: "haiku",
    env: BASE,
    executable: claude.executable,
    useApiKey: false,
    timeoutMs: 300,
    workingFolder: folder.path,
    warn: () => undefined,
  });
  expect(await model(PROMPT, NEVER)).toMatchObject({ kind: "refused", usage: { calls: 1 } });
  await Bun.sleep(1000);
  expect(existsSync(alive)).toBe(false);
});
