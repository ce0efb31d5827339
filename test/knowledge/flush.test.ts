import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FlushOptions, flush } from "../../src/knowledge/flush.ts";
import { localDay } from "../../src/knowledge/day.ts";
import { enqueue, readQueue } from "../../src/knowledge/queue.ts";
import { queueFolder } from "../../src/knowledge/waiting.ts";
import type { Model, ModelOutcome } from "../../src/model/model.ts";
import { acquireLock } from "../../src/text/lock.ts";
import { type CaptureSpec, factOf, factsIn, queueCapture } from "../support/captures.ts";
import { temporaryFolder } from "../support/cli.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const PAUSED: ModelOutcome = {
  kind: "paused",
  reason: "limit",
  usage: { calls: 1, inputTokens: 0, outputTokens: 0, costUsd: null },
};
const ENTRY = "**Context:** parts\n**Decisions Made:**\n- chosen by the model";

function place(): {
  state: string;
  base: string;
  run: (more?: Partial<FlushOptions>) => ReturnType<typeof flush>;
  queue: (spec?: Partial<CaptureSpec>) => void;
  log: () => string;
} & Disposable {
  const folder = temporaryFolder();
  const state = join(folder.path, "state");
  const base = join(folder.path, "base");
  return {
    state,
    base,
    run: (more = {}) =>
      flush({ state, asked: null, now: () => new Date(), signal: new AbortController().signal, ...more }),
    queue: (spec = {}) => void queueCapture(state, { base, ...spec }),
    log: () => readFileSync(join(base, "daily", `${localDay(new Date())}.md`), "utf8"),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const asking = (model: Model): FlushOptions["asked"] => ({
  model: () => model,
  guard: { job: (run) => run() },
});

const later = () => new Date(Date.now() + 61_000);

test("what waits becomes an entry with the session's id, and the queue is empty", async () => {
  using at = place();
  at.queue();
  const report = await at.run();
  expect(report.flushed).toEqual([{ session: "s1", base: at.base, outcome: "written" }]);
  expect(at.log()).toMatch(
    /### Session \(\d\d:\d\d\)\n<!-- session:s1 turns:[0-9a-f]{16} -->\n\*\*Context:\*\*/,
  );
  expect(readQueue(at.state)).toEqual([]);
});

test("a compaction's turns are not written again at the session's end; what came after it is", async () => {
  using at = place();
  at.queue({ event: "pre-compact", from: 1, to: 3 });
  await at.run();
  at.queue({ from: 2, to: 5 });
  const report = await at.run({ now: later });
  expect(report.flushed).toMatchObject([{ outcome: "written" }]);
  expect([...factsIn(at.base)]).toEqual([1, 2, 3, 4, 5].map((n) => [factOf("s1", n), 1]));
});

test("a hook that fires twice writes once", async () => {
  using at = place();
  at.queue();
  at.queue();
  expect((await at.run()).flushed.map(({ outcome }) => outcome)).toEqual(["written", "repeated"]);
});

test("a resumed session that repeats another one's turns adds only its own", async () => {
  using at = place();
  at.queue();
  await at.run();
  queueCapture(at.state, { base: at.base, to: 4 }, "resumed");
  expect((await at.run()).flushed).toMatchObject([{ session: "resumed", outcome: "written" }]);
  expect([...factsIn(at.base).values()]).toEqual([1, 1, 1, 1]);
});

test("a second flush of a session within a minute waits, then adds what is new", async () => {
  using at = place();
  at.queue();
  await at.run();
  at.queue({ from: 1, to: 5 });
  const soon = await at.run();
  expect(soon.flushed).toMatchObject([{ outcome: "waiting" }]);
  expect(soon.dueAt?.getTime()).toBeGreaterThan(Date.now() + 50_000);
  expect((await at.run({ now: later })).flushed).toMatchObject([{ outcome: "written" }]);
  expect(factsIn(at.base).size).toBe(5);
});

test.each([
  ["one question without an answer", { from: 1, to: 0 }, "repeated"],
  ["a compaction of two exchanges", { event: "pre-compact" as const, to: 2 }, "too-short"],
  ["a compaction of three", { event: "pre-compact" as const, to: 3 }, "written"],
  ["an end of one", { to: 1 }, "written"],
])("%s: %j", async (_, spec, outcome) => {
  using at = place();
  at.queue(spec);
  expect((await at.run()).flushed).toMatchObject([{ outcome }]);
  expect(readQueue(at.state)).toEqual([]);
});

test("what was too short at a compaction comes with the session's end", async () => {
  using at = place();
  at.queue({ event: "pre-compact", to: 2 });
  await at.run();
  at.queue({ to: 3 });
  await at.run();
  expect(factsIn(at.base).size).toBe(3);
});

test("secrets reach neither the model nor the log", async () => {
  using at = place();
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
  const messages = [
    { role: "user" as const, text: `Use the token ${secret} for the release`, hash: "1" },
    {
      role: "assistant" as const,
      text: `We decided to use ${secret} instead of the old one for all releases.`,
      hash: "2",
    },
  ];
  const capture = {
    session: "s1",
    base: at.base,
    project: null,
    event: "session-end" as const,
    at: Date.now(),
    refusals: 0,
  };
  enqueue(at.state, { ...capture, messages });
  await at.run();
  expect(at.log()).toContain("[masked:");
  expect(at.log()).not.toContain(secret);
  const { model, prompts } = scriptedModel(ENTRY);
  enqueue(at.state, {
    ...capture,
    session: "s2",
    messages: messages.map((message) => ({ ...message, hash: `2${message.hash}` })),
  });
  await at.run({ asked: asking(model) });
  expect(prompts[0]?.user).toContain("[masked:");
  expect(prompts[0]?.user).not.toContain(secret);
});

test("a model's entry is written in the log's form; FLUSH_OK leaves a placeholder", async () => {
  using at = place();
  at.queue();
  at.queue({ session: "s2" });
  const { model } = scriptedModel(ENTRY, "FLUSH_OK");
  expect((await at.run({ asked: asking(model) })).flushed.map(({ outcome }) => outcome)).toEqual([
    "written",
    "nothing",
  ]);
  expect(at.log()).toContain("- chosen by the model");
  expect(at.log()).toMatch(/### Memory Flush \(\d\d:\d\d\)\n<!-- session:s2 turns:\w+ -->\nFLUSH_OK\n$/);
});

test.each(["API Error: 529 overloaded", "Sorry, I cannot do that.", ""])(
  "an error as the answer (%j) is never an entry and stays for the next try",
  async (answer) => {
    using at = place();
    at.queue();
    const { model, prompts } = scriptedModel(answer);
    expect((await at.run({ asked: asking(model) })).flushed).toMatchObject([{ outcome: "refused" }]);
    expect(prompts).toHaveLength(2);
    expect(existsSync(join(at.base, "daily"))).toBe(false);
    const good = scriptedModel(ENTRY);
    expect((await at.run({ asked: asking(good.model) })).flushed).toMatchObject([{ outcome: "written" }]);
  },
);

test("what a model refused three times is written by rules instead of being paid for again", async () => {
  using at = place();
  at.queue();
  const { model, prompts } = scriptedModel("no");
  for (let n = 0; n < 3; n++) await at.run({ asked: asking(model) });
  expect(prompts).toHaveLength(6);
  expect((await at.run({ asked: asking(model) })).flushed).toMatchObject([{ outcome: "written" }]);
  expect(prompts).toHaveLength(6);
  expect(factsIn(at.base).size).toBe(3);
});

test("a limit stops the run after one call; all that waits stays", async () => {
  using at = place();
  at.queue();
  at.queue({ session: "s2" });
  const { model, prompts } = scriptedModel(PAUSED);
  const report = await at.run({ asked: asking(model) });
  expect(report.paused).toMatchObject({ reason: "limit" });
  expect(prompts).toHaveLength(1);
  expect(readQueue(at.state)).toHaveLength(2);
});

test("an interrupted flush leaves the entry for the next one", async () => {
  using at = place();
  at.queue();
  const interrupted = new AbortController();
  const model = async () => {
    interrupted.abort(new Error("stop"));
    throw interrupted.signal.reason;
  };
  await expect(at.run({ asked: asking(model), signal: interrupted.signal })).rejects.toThrow("stop");
  await at.run();
  expect(factsIn(at.base).size).toBe(3);
});

test("while another process flushes, nothing is done", async () => {
  using at = place();
  at.queue();
  const lock = acquireLock(join(at.state, "knowledge", "flush.lock"));
  expect(await at.run()).toMatchObject({ locked: true, flushed: [] });
  if (lock.kind === "held") lock.release();
});

test("what comes in during a flush is taken by it", async () => {
  using at = place();
  at.queue();
  let arrived = false;
  const model = async () => {
    if (!arrived) at.queue({ session: "s2" });
    arrived = true;
    return {
      kind: "answered" as const,
      text: ENTRY,
      usage: { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 },
      model: "m",
    };
  };
  expect((await at.run({ asked: asking(model) })).flushed).toHaveLength(2);
});

test("a file in the queue that is no capture is moved aside", async () => {
  using at = place();
  mkdirSync(queueFolder(at.state), { recursive: true });
  writeFileSync(join(queueFolder(at.state), "000000000000001-x.json"), "{torn");
  at.queue();
  expect((await at.run()).flushed).toHaveLength(1);
  expect(readdirSync(join(queueFolder(at.state), "unreadable"))).toHaveLength(1);
});
