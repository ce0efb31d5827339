import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listLogs } from "../../src/knowledge/daily.ts";
import { readQueue } from "../../src/knowledge/queue.ts";
import { type ClaudeHome, claudeHome } from "../support/claude-home.ts";
import { type FakeMessagesApi, type RecordedRequest, fakeMessagesApi } from "../support/fake-messages-api.ts";
import { eventually } from "../support/hooks.ts";
import { killCompiles, killFlushes } from "../support/kill-scenarios.ts";
import { realClaude } from "../support/real-packages.ts";
import { conceptBody } from "../support/small-base.ts";

describe("killed at 50 moments", () => {
  test("flushes lose and double nothing", async () => {
    expect(await killFlushes(50)).toBeGreaterThan(25);
  });

  test("compiles leave no half-written base", async () => {
    expect(await killCompiles(50)).toBeGreaterThan(25);
  });
});

describe("the real Claude Code, with our hooks in its settings", () => {
  let home: ClaudeHome;
  let api: FakeMessagesApi;
  let base: string;
  let project: string;

  beforeAll(async () => {
    api = fakeMessagesApi((request) => ({ kind: "text", text: answerTo(request) }));
    home = await claudeHome(api.url);
    [base, project] = [join(home.path, "base"), join(home.path, "widgets-api")];
    mkdirSync(project);
    addHooks(join(home.path, ".claude/settings.json"));
    logIn(join(home.path, ".claude/.credentials.json"));
  });

  afterAll(() => {
    api.stop();
    home[Symbol.dispose]();
  });

  /** One conversation with Claude Code, from the prompt to the end of the session. */
  async function converse(prompt: string, env: Record<string, string> = {}): Promise<RecordedRequest[]> {
    const before = api.requests.length;
    const child = Bun.spawn([await realClaude(), "-p", prompt], {
      cwd: project,
      env: {
        ...home.env,
        KNOWLEDGE_DIR: base,
        KNOWLEDGE_MODEL: "haiku",
        COMPILE_AFTER_HOUR: "0",
        MERGE_MODEL: "haiku",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ...env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await child.exited).toBe(0);
    return api.requests.slice(before);
  }

  const kinds = () => api.requests.map(kindOf);
  const log = () =>
    listLogs(join(base, "daily"))
      .map((name) => readFileSync(join(base, "daily", name), "utf8"))
      .join("");
  const starts = () => home.starts().length;

  test("a headless conversation leaves nothing unless that is configured", async () => {
    await converse("Why do retries need a jitter?");
    expect(kinds()).toEqual(["conversation"]);
    expect(readQueue(join(home.path, ".local/state/persisted-memory"))).toEqual([]);
    expect(existsSync(base)).toBe(false);
  });

  test("a conversation ends, its entry stands in the daily log, the log becomes articles, and the next session gets the index", async () => {
    const before = api.requests.length;
    await converse("Why do retries need a jitter?", { CAPTURE_HEADLESS: "on" });
    const entry = await eventually(log, (text) => text.includes("### Session"));
    expect(entry).toMatch(
      /<!-- session:[0-9a-f-]{36} turns:[0-9a-f]{16} -->\n\*\*Context:\*\* retries of the webhook\n/,
    );
    const page = join(base, "knowledge/concepts/retry-jitter.md");
    await eventually(
      () => existsSync(page),
      (there) => there,
    );
    expect(readFileSync(join(base, "knowledge/index.md"), "utf8")).toContain(
      "| [[concepts/retry-jitter]] | Retries wait a random time | daily/",
    );
    // our own calls of claude -p fire nothing again: three requests, and it stays so
    await Bun.sleep(3000);
    expect(kinds().slice(before)).toEqual(["conversation", "flush", "compile"]);
    const [, flushRequest] = api.requests.slice(before);
    expect(flushRequest?.raw).toContain("Why do retries need a jitter?");

    const [next] = await converse("Go on.");
    expect(next?.raw).toContain("| [[concepts/retry-jitter]] | Retries wait a random time |");
    expect(next?.raw).toContain("retries of the webhook");
  });

  test("none of our own starts of Claude Code fired a hook, kept a session or was kept itself", async () => {
    const ours = home.starts().filter(({ env }) => env["PERSISTED_MEMORY_INTERNAL"] === "1");
    expect(ours.length).toBe(2);
    for (const { argv } of ours) expect(argv).toContain("--no-session-persistence");
    expect(starts()).toBe(2);
    expect(home.sessions().filter((path) => path.endsWith(".jsonl")).length).toBe(3);
    expect(readQueue(join(home.path, ".local/state/persisted-memory"))).toEqual([]);
  });

  test("an error of the API becomes no entry; the next conversation's end takes it along", async () => {
    const entries = log().split("### Session").length;
    failing = true;
    await converse("And what about ports?", { CAPTURE_HEADLESS: "on" });
    const waiting = () => readQueue(join(home.path, ".local/state/persisted-memory")).length;
    await eventually(
      () => kinds().at(-1),
      (kind) => kind === "flush",
    );
    await Bun.sleep(1500);
    failing = false;
    expect(waiting()).toBe(1);
    expect(log().split("### Session").length).toBe(entries);
    await converse("Go on then.");
    await eventually(waiting, (left) => left === 0);
    expect(log().split("### Session").length).toBe(entries + 1);
  });
});

let failing = false;

const ENTRY =
  "**Context:** retries of the webhook\n**Decisions Made:**\n- Exponential backoff with full jitter, because a fixed delay makes all workers retry at once";

function kindOf({ raw }: RecordedRequest): "flush" | "compile" | "conversation" {
  if (raw.includes("You keep the work diary")) return "flush";
  return raw.includes("You are the compiler of a knowledge base") ? "compile" : "conversation";
}

function answerTo(request: RecordedRequest): string {
  switch (kindOf(request)) {
    case "flush":
      return failing ? "" : ENTRY;
    case "compile": {
      const [, day = ""] = /\[\[daily\/([\d-]+)\.md\]\]:/.exec(request.raw) ?? [];
      const article = {
        path: "concepts/retry-jitter",
        action: "create",
        title: "Retry jitter",
        summary: "Retries wait a random time",
        body: conceptBody("Retry jitter", { log: `${day}.md` }),
      };
      return JSON.stringify(
        request.raw.includes("=== concepts/retry-jitter")
          ? { articles: [], nothing: "said" }
          : { articles: [article] },
      );
    }
    case "conversation":
      return "Without jitter all workers retry at once. We decided on full jitter instead of a fixed delay.";
  }
}

/** In a file, as `/login` leaves it: a token in the environment is not handed on to hooks. */
function logIn(path: string): void {
  const login = {
    accessToken: "sk-ant-oat01-of-a-test",
    refreshToken: "sk-ant-ort01-of-a-test",
    expiresAt: Date.now() + 86_400_000,
    scopes: ["user:inference"],
    subscriptionType: "max",
  };
  writeFileSync(path, JSON.stringify({ claudeAiOauth: login }), { mode: 0o600 });
}

/** As `install` would write them, beside the person's own hooks. */
function addHooks(path: string): void {
  const settings = JSON.parse(readFileSync(path, "utf8"));
  const hook = (name: string) => ({
    hooks: [
      {
        type: "command",
        command: `"${process.execPath}" "${join(import.meta.dirname, "../../src/hook.ts")}" ${name}`,
      },
    ],
  });
  const add = (event: string, name: string) =>
    (settings.hooks[event] = [...(settings.hooks[event] ?? []), hook(name)]);
  add("SessionStart", "session-start-knowledge");
  add("SessionEnd", "session-end");
  add("PreCompact", "pre-compact");
  writeFileSync(path, JSON.stringify(settings));
}
