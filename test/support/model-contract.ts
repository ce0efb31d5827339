import { expect, test } from "vitest";
import type { Model, Prompt } from "../../src/model/model.ts";
import { type Behaviour, EXPECTED, SLOW } from "./model-behaviours.ts";

export interface ModelUnderTest {
  model: Model;
  stop(): void | Promise<void>;
}

export const PROMPT: Prompt = {
  system: "You are asked something.",
  user: "Please answer: what is the port?",
  json: false,
  maxOutputTokens: 500,
};

/** What every implementation of the seam has to keep; `start` gives one whose provider behaves so. */
export function modelContract(
  start: (behaviour: Behaviour, timeoutMs?: number) => Promise<ModelUnderTest>,
): void {
  const ask = async (behaviour: Behaviour, prompt = PROMPT, timeoutMs?: number) => {
    const { model, stop } = await start(behaviour, timeoutMs);
    try {
      return await model(prompt, new AbortController().signal);
    } finally {
      await stop();
    }
  };

  test("answers with text, usage and the model's name", async () => {
    const outcome = await ask({ kind: "answers", text: "Port 4100, see @scope/server." });
    expect(outcome).toMatchObject({ kind: "answered", text: "Port 4100, see @scope/server." });
    if (outcome.kind !== "answered") return;
    expect(outcome.model).not.toBe("");
    expect(outcome.usage.calls).toBe(1);
    expect(outcome.usage.inputTokens).toBeGreaterThan(0);
    expect(outcome.usage.outputTokens).toBeGreaterThan(0);
  });

  test.each<[string, Behaviour]>([
    ["an empty answer is refused", { kind: "nothing" }],
    ["a used-up limit pauses", { kind: "limit", resetsAt: new Date(Date.now() + 3_600_000) }],
    ["a missing login pauses", { kind: "login" }],
    ["missing credit pauses", { kind: "credit" }],
    ["a server that stays overloaded refuses", { kind: "overloaded" }],
    ["a prompt that is too long says so", { kind: "too-long" }],
    ["an answer cut at its limit asks for less", { kind: "cut" }],
    ["a refusal is refused", { kind: "refusal" }],
  ])("%s, with a reason and counted", async (_, behaviour) => {
    const outcome = await ask(behaviour);
    expect(outcome).toMatchObject(EXPECTED[behaviour.kind as keyof typeof EXPECTED]);
    if (outcome.kind === "answered") return;
    expect(outcome.reason).not.toBe("");
    expect(outcome.usage.calls).toBe(1);
  });

  test("a limit says when it ends", async () => {
    const resetsAt = new Date(Math.ceil(Date.now() / 3_600_000 + 1) * 3_600_000);
    const outcome = await ask({ kind: "limit", resetsAt });
    const resumeAt = outcome.kind === "paused" ? outcome.resumeAt : undefined;
    // servers and notices round
    expect(Math.abs((resumeAt?.getTime() ?? 0) - resetsAt.getTime())).toBeLessThan(61_000);
  });

  test("an answer that does not come in time is refused soon after", async () => {
    const started = Date.now();
    const outcome = await ask(SLOW, PROMPT, 700);
    expect(outcome).toMatchObject(EXPECTED.slow);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test("ends soon after an abort, with its reason", async () => {
    const { model, stop } = await start(SLOW);
    const abort = new AbortController();
    const reason = new Error("the person pressed Ctrl-C");
    setTimeout(() => abort.abort(reason), 200);
    const started = Date.now();
    await expect(model(PROMPT, abort.signal)).rejects.toBe(reason);
    expect(Date.now() - started).toBeLessThan(5000);
    await stop();
  });

  test("an abort beforehand asks nobody", async () => {
    const { model, stop } = await start({ kind: "answers", text: "too late" });
    const reason = new Error("already over");
    await expect(model(PROMPT, AbortSignal.abort(reason))).rejects.toBe(reason);
    await stop();
  });
}
