import { expect, test } from "vitest";
import {
  type CallEnd,
  type CallLedger,
  type PlannedCall,
  capReached,
  createGuard,
} from "../../src/model/guard.ts";
import { type Model, type ModelOutcome, NO_USAGE } from "../../src/model/model.ts";
import { PROMPT } from "../support/model-contract.ts";

const NEVER = new AbortController().signal;
const PURPOSE = {
  purpose: "merge",
  project: "shop",
  type: "gotcha",
  model: "haiku",
  promptVersion: "merge-1",
  batchRows: 3,
};
const USAGE = { calls: 1, inputTokens: 100, outputTokens: 10, costUsd: 0.01 };

const answered: ModelOutcome = { kind: "answered", text: "fine", usage: USAGE, model: "m" };
const refused: ModelOutcome = { kind: "refused", reason: "no", usage: USAGE };
const limit: ModelOutcome = { kind: "paused", reason: "limit", resumeAt: new Date(5000), usage: NO_USAGE };

function ledger(most = Infinity) {
  const begun: PlannedCall[] = [];
  const settled: (CallEnd & { id: number })[] = [];
  const port: CallLedger = {
    begin: (call) => {
      if (begun.length >= most) return { kind: "capped", reason: "used up", resumeAt: new Date(9000) };
      return { kind: "begun", id: begun.push(call) };
    },
    settle: (id, end) => void settled.push({ id, ...end }),
  };
  return { port, begun, settled };
}

function scripted(...outcomes: ModelOutcome[]): Model & { asked: number } {
  const model: Model = async () => {
    counted.asked += 1;
    return outcomes.shift() ?? answered;
  };
  const counted = Object.assign(model, { asked: 0 });
  return counted;
}

test("a call is noted before it is made and settled after it", async () => {
  const { port, begun, settled } = ledger();
  const seen: number[] = [];
  const model: Model = async () => {
    seen.push(begun.length, settled.length);
    return answered;
  };
  await createGuard(port).model(model, PURPOSE)(PROMPT, NEVER);
  expect(seen).toEqual([1, 0]);
  expect(begun).toEqual([{ ...PURPOSE, estimatedInputTokens: expect.any(Number) }]);
  expect(begun[0]?.estimatedInputTokens).toBeGreaterThan(5);
  expect(settled).toEqual([{ id: 1, outcome: "answered", reason: null, usage: USAGE }]);
});

test("a call that ends in an exception is settled as failed, with what it was expected to take", async () => {
  const { port, begun, settled } = ledger();
  const broken: Model = () => Promise.reject(new Error("Ctrl-C"));
  await expect(createGuard(port).model(broken, PURPOSE)(PROMPT, NEVER)).rejects.toThrow("Ctrl-C");
  expect(settled).toMatchObject([
    { outcome: "failed", usage: { calls: 1, inputTokens: begun[0]?.estimatedInputTokens, costUsd: null } },
  ]);
});

test("a pause stops every further call, also of other models", async () => {
  const { port, begun } = ledger();
  const guard = createGuard(port);
  const first = scripted(limit);
  const second = scripted();
  await guard.model(first, PURPOSE)(PROMPT, NEVER);
  const outcome = await guard.model(second, PURPOSE)(PROMPT, NEVER);
  expect(outcome).toMatchObject({ kind: "paused", reason: "limit", resumeAt: new Date(5000) });
  expect([second.asked, begun.length]).toEqual([0, 1]);
});

test("a cap pauses, and says until when", async () => {
  const { port } = ledger(1);
  const guard = createGuard(port);
  const model = scripted();
  await guard.model(model, PURPOSE)(PROMPT, NEVER);
  const outcome = await guard.model(model, PURPOSE)(PROMPT, NEVER);
  expect(outcome).toMatchObject({
    kind: "paused",
    reason: "used up",
    resumeAt: new Date(9000),
    usage: NO_USAGE,
  });
  expect(model.asked).toBe(1);
});

test("three failed jobs in a row stop the run, whatever failed", async () => {
  const { port } = ledger();
  const guard = createGuard(port);
  const model = scripted(refused, answered, refused);
  const ask = () => guard.model(model, PURPOSE)(PROMPT, NEVER);
  await guard.job(ask);
  // the model answered, but what it said could not be used
  await guard.job(async () => {
    await ask();
    return { kind: "refused", reason: "prose" };
  });
  expect(await guard.job(ask)).toMatchObject({ kind: "refused" });
  expect(await guard.job(ask)).toMatchObject({ kind: "paused", reason: "3 failures in a row, the last: no" });
  expect(await ask()).toMatchObject({ kind: "paused" });
  expect(model.asked).toBe(3);
});

test("a success between failures starts the count anew", async () => {
  const guard = createGuard(ledger().port);
  for (const kind of ["refused", "refused", "folded", "refused", "refused"]) {
    expect(await guard.job(async () => ({ kind, reason: "no" }))).toMatchObject({ kind });
  }
  expect(await guard.job(async () => ({ kind: "folded" }))).toEqual({ kind: "folded" });
});

const CAPS = { callsPerRun: 2, callsPerDay: 5, inputTokensPerDay: 1000 };
const NEXT = { ...PURPOSE, estimatedInputTokens: 100 };

test.each([
  [{ callsThisRun: 1, callsToday: 4, inputTokensToday: 900 }, null],
  [{ callsThisRun: 2, callsToday: 2, inputTokensToday: 0 }, /MAX_CALLS_PER_RUN/],
  [{ callsThisRun: 0, callsToday: 5, inputTokensToday: 0 }, /MAX_CALLS_PER_DAY/],
  [{ callsThisRun: 0, callsToday: 0, inputTokensToday: 901 }, /MAX_INPUT_TOKENS_PER_DAY/],
])("after %o the next call of 100 tokens: %s", (spent, reason) => {
  const found = capReached(spent, NEXT, CAPS);
  if (reason === null) expect(found).toBeNull();
  else expect(found).toMatch(reason);
});
