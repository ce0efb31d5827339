import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTranscript } from "../../seed/transcripts.ts";
import { listLogs } from "../../src/knowledge/daily.ts";
import { readQueue } from "../../src/knowledge/queue.ts";
import { queueCapture } from "../support/captures.ts";
import { temporaryFolder } from "../support/cli.ts";
import { eventually, runHook } from "../support/hooks.ts";

interface Place extends Disposable {
  home: string;
  project: string;
  transcript: string;
  base: string;
  state: string;
  /** What Claude Code would send. */
  input(event: string, more?: object): object;
  run(name: string, input: unknown, env?: Record<string, string>): ReturnType<typeof runHook>;
  waiting(): number;
  logs(): string;
}

/** A base of one's choice, so that the detached flush's work is easy to find. */
function place(exchanges = 4): Place {
  const folder = temporaryFolder();
  const home = folder.path;
  const [project, transcript, base, state] = [
    join(home, "widgets-api"),
    join(home, "t.jsonl"),
    join(home, "base"),
    join(home, ".local/state/persisted-memory"),
  ];
  mkdirSync(project);
  writeFileSync(transcript, makeTranscript({ seed: 1, exchanges, noise: 2 }).jsonl);
  const daily = join(base, "daily");
  return {
    home,
    project,
    transcript,
    base,
    state,
    input: (event, more = {}) => ({
      session_id: "s-1",
      transcript_path: transcript,
      cwd: project,
      hook_event_name: event,
      ...more,
    }),
    run: (name, input, env = {}) =>
      runHook(name, input, {
        home,
        env: { KNOWLEDGE_DIR: base, MERGE_MODEL: "haiku", CLAUDE_CODE_ENTRYPOINT: "cli", ...env },
      }),
    waiting: () => readQueue(state).length,
    logs: () =>
      listLogs(daily)
        .map((log) => readFileSync(join(daily, log), "utf8"))
        .join("\n"),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test.each([
  ["session-end", "SessionEnd"],
  ["pre-compact", "PreCompact"],
])(
  "%s keeps the end of the conversation, and a process of its own writes it into the daily log",
  async (name, event) => {
    using at = place();
    const { code, stdout, stderr } = await at.run(
      name,
      at.input(event, { reason: "other", trigger: "auto" }),
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
    const log = await eventually(at.logs, (text) => text !== "");
    expect(log).toMatch(
      /### Session \(\d\d:\d\d\)\n<!-- session:s-1 turns:[0-9a-f]{16} -->\n\*\*Context:\*\*/,
    );
    await eventually(at.waiting, (waiting) => waiting === 0);
  },
);

test.each([
  ["a session that we started ourselves", {}, { PERSISTED_MEMORY_INTERNAL: "1" }],
  ["one that claude-mem started", {}, { CLAUDE_MEM_INTERNAL: "1" }],
  ["one of another memory compiler", {}, { CLAUDE_INVOKED_BY: "memory_flush" }],
  ["a headless session", {}, { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }],
  ["an excluded project", {}, { EXCLUDED_PROJECTS: "widgets-*" }],
  ["one that claude-mem leaves out", {}, { CLAUDE_MEM_EXCLUDED_PROJECTS: "~/*/widgets-api" }],
  ["no turns to be kept", {}, { CAPTURE_TURNS: "0" }],
  ["no transcript", { transcript_path: null }, {}],
  ["an empty path", { transcript_path: "" }, {}],
  ["a transcript that is not there", { transcript_path: "/nowhere/t.jsonl" }, {}],
  ["a folder as transcript", { transcript_path: "/tmp" }, {}],
])("%s: nothing is kept, and the hook ends well", async (_, input, env) => {
  using at = place();
  expect(await at.run("session-end", at.input("SessionEnd", input), env)).toMatchObject({
    code: 0,
    stdout: "",
  });
  expect(at.waiting()).toBe(0);
  expect(existsSync(at.base)).toBe(false);
});

test.each(["", "{torn", "[]", "null", '{"transcript_path": 5}'])("stdin %j is survived", async (input) => {
  using at = place();
  expect(await at.run("session-end", input)).toMatchObject({ code: 0, stdout: "" });
});

test("a compaction of fewer than five turns is left to the session's end", async () => {
  using at = place(2);
  await at.run("pre-compact", at.input("PreCompact"));
  expect(existsSync(join(at.state, "knowledge"))).toBe(false);
  await at.run("session-end", at.input("SessionEnd"));
  await eventually(at.logs, (text) => text.includes("session:s-1"));
});

test("a headless session is kept where that is configured", async () => {
  using at = place();
  await at.run("session-end", at.input("SessionEnd"), {
    CLAUDE_CODE_ENTRYPOINT: "sdk-cli",
    CAPTURE_HEADLESS: "on",
  });
  await eventually(at.logs, (text) => text.includes("session:s-1"));
});

test("a session id that would break the anchor or a path does neither", async () => {
  using at = place();
  await at.run("session-end", at.input("SessionEnd", { session_id: "../../x --> <b>" }));
  expect(await eventually(at.logs, (text) => text !== "")).toContain("<!-- session:..-..-x-b- turns:");
});

test("a 50 MB transcript costs no more than 300 ms of work, and no model is asked", async () => {
  using at = place();
  const line = `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "tool_result", content: "y".repeat(20_000) }] } })}\n`;
  const words = readFileSync(at.transcript, "utf8");
  writeFileSync(at.transcript, `${line.repeat(2000)}${words}${line.repeat(500)}`);
  const small = place();
  const times: number[] = [];
  for (let n = 0; n < 3; n++) {
    const bare = await small.run("session-end", "{}");
    const full = await at.run("session-end", at.input("SessionEnd", { session_id: `s-${n}` }), {
      KNOWLEDGE_MODEL: "no-such-model",
    });
    times.push(full.milliseconds - bare.milliseconds);
  }
  small[Symbol.dispose]();
  expect(Math.min(...times)).toBeLessThan(300);
  expect(at.waiting()).toBe(3);
});

test.each(["session-start", "session-start-knowledge"])(
  "%s starts a flush of what was never flushed",
  async (name) => {
    using at = place();
    expect(await at.run(name, at.input("SessionStart", { source: "startup" }))).toMatchObject({ code: 0 });
    queueCapture(at.state, { base: at.base, at: Date.now() - 1000 });
    expect(await at.run(name, at.input("SessionStart", { source: "startup" }))).toMatchObject({ code: 0 });
    await eventually(at.logs, (text) => text.includes("fact-s1-1-end"));
  },
);
