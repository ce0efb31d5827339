import { expect, test } from "vitest";
import { apply } from "../../src/digest/apply.ts";
import { gate } from "../../src/digest/gate.ts";
import type { MergeOutcome, MergeRequest } from "../../src/merge/merge.ts";
import { modelMerge } from "../../src/merge/model.ts";
import { PROMPT_VERSION } from "../../src/merge/prompt.ts";
import type { ModelOutcome } from "../../src/model/model.ts";
import { itemOf, noteOf, requestOf } from "../support/merge-request.ts";
import { plainMerge, scriptedModel } from "../support/scripted-model.ts";

const NEVER = new AbortController().signal;
const REQUEST = requestOf(
  [
    itemOf(7, "2026-01-10", "The API listens on port 4000, set in server.ts."),
    itemOf(8, "2026-01-11", "Migrations run with `make db-up`, never by hand."),
    itemOf(9, "2026-01-12", "The queue needs Redis with maxmemory-policy noeviction."),
  ],
  [
    noteOf(31, "2026-02-02", "API moved to port 4100", { narrative: "server.ts binds 4100 now." }),
    noteOf(32, "2026-02-03", "Login test is flaky", {
      narrative: "Probably login.spec.ts races the mail stub.",
    }),
  ],
);
const GOOD =
  '{"ops":[{"rewrite":[7],"text":"The API listens on port 4100 (server.ts).","from":[31],"why":"moved"},{"add":"login.spec.ts is flaky: probably it races the mail stub.","from":[32]}]}';
const USAGE = { calls: 1, inputTokens: 10, outputTokens: 1, costUsd: null };

async function merge(request: MergeRequest, ...steps: Parameters<typeof scriptedModel>) {
  const { model, prompts } = scriptedModel(...steps);
  const check = (...args: Parameters<typeof gate>) =>
    gate(...args).map(({ code, message }) => `${code}: ${message}`);
  const outcome = await modelMerge({ ask: () => model, check })(request, NEVER);
  return { outcome, prompts };
}

/** What the gate says in the end, by name. */
function codes(outcome: MergeOutcome, request = REQUEST): string[] {
  if (outcome.kind !== "merged") return [outcome.kind];
  return [...new Set(gate(request, outcome.operations).map(({ code }) => code))];
}

test("a good answer needs one call, and is traced to model and prompt", async () => {
  const { outcome, prompts } = await merge(REQUEST, GOOD);
  expect(prompts).toHaveLength(1);
  expect(outcome).toMatchObject({
    kind: "merged",
    usage: { calls: 1 },
    notes: { model: "scripted", promptVersion: PROMPT_VERSION, findings: [] },
  });
  expect(codes(outcome)).toEqual([]);
  if (outcome.kind !== "merged") return;
  expect(apply(REQUEST, outcome.operations, 100).items.map(({ text }) => text)).toEqual([
    "The API listens on port 4100 (server.ts).",
    "Migrations run with `make db-up`, never by hand.",
    "The queue needs Redis with maxmemory-policy noeviction.",
    "login.spec.ts is flaky: probably it races the mail stub.",
  ]);
});

test.each([
  ["prose", "I have merged everything for you.", "not one JSON object"],
  ["half an answer", GOOD.slice(0, 60), "cut off"],
  ["an operation without its ids", '{"ops":[{"add":"The API moved."}]}', '"from"'],
])("%s is given back once, with what is wrong", async (_, answer, finding) => {
  const { outcome, prompts } = await merge(REQUEST, answer, GOOD);
  expect(outcome).toMatchObject({
    kind: "merged",
    usage: { calls: 2 },
    notes: { findings: [expect.stringContaining(finding)] },
  });
  expect(prompts[1]?.user).toContain(finding);
  expect(prompts[1]?.user).toContain(answer);
});

test("what cannot be read twice is refused", async () => {
  const { outcome } = await merge(REQUEST, "no", "again no", GOOD);
  expect(outcome).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining("cannot be read"),
    usage: { calls: 2 },
    findings: [expect.any(String), expect.any(String)],
  });
});

test("what the gate finds is given back once", async () => {
  const invented = GOOD.replace("(server.ts)", "(src/net/listen.ts)");
  const { outcome, prompts } = await merge(REQUEST, invented, GOOD);
  expect(prompts[1]?.user).toContain("invented-token");
  expect(prompts[1]?.user).toContain("src/net/listen.ts");
  expect(outcome).toMatchObject({ kind: "merged", usage: { calls: 2 } });
  expect(codes(outcome)).toEqual([]);
});

test("at most three calls: one to read, one for the gate", async () => {
  const invented = GOOD.replace("(server.ts)", "(src/net/listen.ts)");
  const { outcome, prompts } = await merge(REQUEST, "prose", invented, invented, GOOD);
  expect(prompts).toHaveLength(3);
  expect(codes(outcome)).toEqual(["invented-token"]);
});

const skipBoth = '{"skip":[31,32],"why":"nothing"}';

test.each([
  [
    "a digest that collapses",
    `{"ops":[{"drop":8,"why":"cleanup"},{"drop":9,"why":"cleanup"},${skipBoth}]}`,
    "shrink",
  ],
  [
    "an invented path",
    '{"ops":[{"add":"The API binds in /etc/ghost.conf.","from":[31]},{"skip":[32],"why":"x"}]}',
    "invented-token",
  ],
  [
    "a doubt made a fact",
    '{"ops":[{"add":"login.spec.ts races the mail stub.","from":[32]},{"skip":[31],"why":"x"}]}',
    "lost-hedge",
  ],
  [
    "an id of another project",
    `{"ops":[{"add":"API moved to port 4100","from":[31,9001]},{"skip":[32],"why":"x"}]}`,
    "unknown-observation",
  ],
  ["an item of another project", `{"ops":[{"drop":9001,"why":"gone"},${skipBoth}]}`, "unknown-item"],
])("%s, insisted on, is stopped by name", async (_, answer, code) => {
  const { outcome, prompts } = await merge(REQUEST, answer);
  expect(prompts).toHaveLength(2);
  expect(codes(outcome)).toEqual([code]);
  if (outcome.kind === "merged")
    expect(outcome.notes?.findings).toEqual([expect.stringContaining(code), expect.stringContaining(code)]);
});

test("rows that no operation names are no finding: the caller folds them", async () => {
  const { outcome } = await merge(REQUEST, '{"ops":[{"skip":[31],"why":"nothing"}]}');
  expect(outcome).toMatchObject({ kind: "merged", usage: { calls: 1 }, notes: { findings: [] } });
  expect(codes(outcome)).toEqual(["unaccounted"]);
});

test.each<[string, ModelOutcome]>([
  ["a pause", { kind: "paused", reason: "limit", resumeAt: new Date(7), usage: USAGE }],
  ["a prompt that is too long", { kind: "refused", reason: "too long", tooLong: true, usage: USAGE }],
  ["a refusal", { kind: "refused", reason: "no", usage: USAGE }],
])("%s is passed on with what was spent", async (_, said) => {
  const { outcome } = await merge(REQUEST, said);
  expect(outcome).toMatchObject(said);
  const later = await merge(REQUEST, "prose", said);
  expect(later.outcome).toMatchObject({ ...said, usage: { calls: 2 } });
});

test("costs add up while they are known", async () => {
  const { outcome } = await merge(REQUEST, "prose", GOOD);
  expect(outcome.usage.costUsd).toBeCloseTo(0.002, 9);
  const unknown = await merge(REQUEST, "prose", { kind: "refused", reason: "no", usage: USAGE });
  expect(unknown.outcome.usage.costUsd).toBeNull();
});

test("an abort is thrown on", async () => {
  const { model } = scriptedModel(GOOD);
  const reason = new Error("Ctrl-C");
  await expect(
    modelMerge({ ask: () => model, check: () => [] })(REQUEST, AbortSignal.abort(reason)),
  ).rejects.toBe(reason);
});

test("a plain answer to any prompt passes the gate", async () => {
  const { outcome } = await merge(REQUEST, (prompt) => plainMerge(prompt.user));
  expect(codes(outcome)).toEqual([]);
});
