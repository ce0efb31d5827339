import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeSource } from "../support/claude-mem.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { type ChatReply, type FakeOpenAi, fakeOpenAi } from "../support/fake-openai.ts";
import { plainMerge } from "../support/scripted-model.ts";

const CLI = join(import.meta.dirname, "..", "..", "src", "cli.ts");

let folder: ReturnType<typeof temporaryFolder>;
let server: FakeOpenAi;
let reply: (prompt: string) => ChatReply;
let env: Record<string, string>;

const answering = (prompt: string): ChatReply => ({ kind: "text", text: plainMerge(prompt) });

beforeEach(() => {
  folder = temporaryFolder();
  server = fakeOpenAi((request) => reply(request.body.messages.at(-1)?.content ?? ""));
  env = {
    CLAUDE_MEM_DB: makeSource(join(folder.path, "claude-mem.db"), [
      { concepts: '["gotcha"]', title: "The port is 8080" },
    ]),
    OPENAI_BASE_URL: server.url,
    MERGE_MODEL: "openai:tiny",
  };
});
afterEach(() => {
  server.stop();
  folder[Symbol.dispose]();
});

const json = async (args: string[], more: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runCli([...args, "--json"], {
    home: folder.path,
    env: { ...env, ...more },
  });
  return { code, stderr, ...JSON.parse(stdout) };
};

test("a model on this machine costs nothing, so nobody is asked", async () => {
  reply = answering;
  const { code, stderr, totals } = await json(["build"]);
  expect({ code, folded: totals.folded }).toEqual({ code: 0, folded: 1 });
  expect(stderr).toContain("no cost");
});

test.each(["somewhere", "http://", "ftp://127.0.0.1/v1"])(
  "%s as OPENAI_BASE_URL is a usage error",
  async (url) => {
    expect(await json(["build"], { OPENAI_BASE_URL: url })).toMatchObject({
      code: 2,
      error: { code: "bad-setting", message: expect.stringContaining("OPENAI_BASE_URL") },
    });
  },
);

test("a password in OPENAI_BASE_URL is shown nowhere", async () => {
  reply = answering;
  const url = server.url.replace("http://", "http://me:hunter2@");
  expect(JSON.stringify(await json(["build", "--dry-run"], { OPENAI_BASE_URL: url }))).not.toContain(
    "hunter2",
  );
  const dead = await json(["build"], { OPENAI_BASE_URL: "http://me:hunter2@127.0.0.1:1/v1" });
  expect(dead).toMatchObject({ code: 5, failures: [{ reason: expect.stringContaining("127.0.0.1:1/v1") }] });
  expect(JSON.stringify(dead)).not.toContain("hunter2");
});

test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("a call that %s cuts off counts", async (signal) => {
  reply = () => ({ kind: "slow", ms: 20_000 });
  const child = Bun.spawn([process.execPath, CLI, "build", "--json"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder.path, ...env },
    stdout: "pipe",
    stderr: "ignore",
  });
  while (server.requests.length === 0) await Bun.sleep(10);
  child.kill(signal);
  const stdout = await new Response(child.stdout).text();
  await child.exited;
  if (signal !== "SIGKILL") {
    expect(child.exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "interrupted", totals: { calls: 1, folded: 0 } });
  }
  const { spending } = await json(["runs"]);
  expect(spending).toMatchObject([{ calls: 1, failed: 1, inputTokens: expect.any(Number) }]);
  expect(spending[0].inputTokens).toBeGreaterThan(100);

  reply = answering;
  expect(await json(["build"], { MAX_CALLS_PER_DAY: "1" })).toMatchObject({ code: 5, totals: { calls: 0 } });
  expect(await json(["build"])).toMatchObject({ code: 0, totals: { calls: 1, folded: 1 } });
});
