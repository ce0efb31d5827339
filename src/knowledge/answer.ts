import type { Model, Prompt } from "../model/model.ts";
import { repairRequest } from "./prompts/fence.ts";

/** What code thinks of a model's answer. `findings` are in words that the model can act on. */
export type Reading<Value> =
  | { kind: "read"; value: Value }
  /** It is not in the asked form at all: prose, an error, cut off. */
  | { kind: "unreadable"; findings: readonly string[] }
  /** It is in the form, but must not be used as it is. */
  | { kind: "rejected"; findings: readonly string[] };

export type Asked<Value> =
  | { kind: "answered"; value: Value }
  | { kind: "refused"; gate: boolean; reason: string; findings: readonly string[]; tooLong: boolean }
  | { kind: "paused"; reason: string; resumeAt?: Date };

/** Asks, reads, and asks once more with what is wrong; what cannot be used after that is refused. */
export async function ask<Value>(
  model: Model,
  prompt: Prompt,
  read: (answer: string) => Reading<Value>,
  signal: AbortSignal,
): Promise<Asked<Value>> {
  let asking = prompt;
  for (let triesLeft = 1; ; triesLeft--) {
    const outcome = await model(asking, signal);
    if (outcome.kind === "paused") return outcome;
    if (outcome.kind === "refused") {
      return {
        kind: "refused",
        gate: false,
        reason: outcome.reason,
        findings: [],
        tooLong: outcome.tooLong === true,
      };
    }
    const reading = read(outcome.text);
    if (reading.kind === "read") return { kind: "answered", value: reading.value };
    if (triesLeft === 0) {
      const gate = reading.kind === "rejected";
      const reason = `${gate ? "the model's answer was rejected" : "the model's answer cannot be read"}: ${reading.findings[0]}`;
      return { kind: "refused", gate, reason, findings: reading.findings, tooLong: false };
    }
    asking = { ...prompt, user: repairRequest(prompt.user, outcome.text, reading.findings) };
  }
}

/** The first JSON object in an answer, whatever stands around it; `null` where there is none, whole. */
export function findObject(answer: string): unknown {
  for (const { index } of answer.matchAll(/\{/g)) {
    const json = balanced(answer, index);
    if (json === null) continue;
    try {
      return JSON.parse(json);
    } catch {
      // braces in prose; the next may be the answer
    }
  }
  return null;
}

function balanced(text: string, start: number): string | null {
  let depth = 0;
  for (const token of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token[0] === "{") depth += 1;
    else if (token[0] === "}") depth -= 1;
    if (depth === 0) return text.slice(start, start + token.index + 1);
  }
  return null;
}
