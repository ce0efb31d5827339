import { type Model, type ModelOutcome, type Prompt } from "../../src/model/model.ts";
import { estimateTokens } from "../../src/text/tokens.ts";

export interface ScriptedModel {
  model: Model;
  prompts: Prompt[];
}

type Step = string | ModelOutcome | ((prompt: Prompt) => string);

/** A model that says what it is told to, one step a call, the last one for ever; it keeps the prompts and counts as a provider would. */
export function scriptedModel(...steps: Step[]): ScriptedModel {
  const prompts: Prompt[] = [];
  const model: Model = async (prompt, signal) => {
    signal.throwIfAborted();
    const step = steps[Math.min(prompts.push(prompt), steps.length) - 1] ?? "";
    if (typeof step === "object") return step;
    const text = typeof step === "string" ? step : step(prompt);
    const usage = {
      calls: 1,
      inputTokens: estimateTokens(prompt.system + prompt.user),
      outputTokens: estimateTokens(text),
      costUsd: 0.001,
    };
    return { kind: "answered", text, usage, model: "scripted" };
  };
  return { model, prompts };
}

/** What a good model could say to any merge prompt: the first note becomes an item, the others are passed over. */
export function plainMerge(prompt: string): string {
  const notes = [...prompt.matchAll(/^#(\d+) \S+ (?:[\w-]+: )?([^|\n]*)/gm)];
  const [first, ...others] = notes;
  if (first === undefined) return '{"ops":[]}';
  const skipped = others.map(([, id]) => Number(id));
  const text = (first[2] ?? "").trim();
  return JSON.stringify({
    ops: [
      { add: text, from: [Number(first[1])] },
      ...(skipped.length === 0 ? [] : [{ skip: skipped, why: "nothing to keep" }]),
    ],
  });
}
