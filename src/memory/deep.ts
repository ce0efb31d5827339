import { z } from "zod";
import { type Asked, type Reading, ask, findObject } from "../knowledge/answer.ts";
import type { Model } from "../model/model.ts";
import { oneLine } from "../text/sentences.ts";
import { type AuditFinding } from "./finding.ts";
import { type Entry, titleOf } from "./outline.ts";
import { deepPrompt } from "./prompts/deep.ts";

const Answer = z.object({
  contradictions: z.array(z.object({ entries: z.array(z.number().int()), why: z.string() })).default([]),
  superseded: z
    .array(z.object({ entry: z.number().int(), by: z.number().int(), why: z.string() }))
    .default([]),
});

/** Asks a model for entries that contradict each other and for those that a later one has replaced. */
export async function findConflicts(
  entries: readonly Entry[],
  model: Model,
  signal: AbortSignal,
): Promise<Asked<AuditFinding[]>> {
  const numbered = entries.map((entry, at) => ({
    number: at + 1,
    text: oneLine(`${entry.head} ${entry.nested}`),
  }));
  return ask(model, deepPrompt(numbered), (answer) => readConflicts(answer, entries), signal);
}

function readConflicts(answer: string, entries: readonly Entry[]): Reading<AuditFinding[]> {
  const parsed = Answer.safeParse(findObject(answer));
  if (!parsed.success)
    return { kind: "unreadable", findings: ['the answer is not {"contradictions":[…],"superseded":[…]}'] };
  const pair = (numbers: readonly number[]) => numbers.flatMap((number) => entries[number - 1] ?? []);
  const contradictions = parsed.data.contradictions.flatMap(({ entries: numbers, why }) => {
    const [first, second] = pair(numbers);
    return first === undefined || second === undefined ? [] : [conflict("contradiction", first, second, why)];
  });
  const superseded = parsed.data.superseded.flatMap(({ entry, by, why }) => {
    const [old, newer] = pair([entry, by]);
    return old === undefined || newer === undefined || old === newer
      ? []
      : [conflict("superseded", old, newer, why)];
  });
  return { kind: "read", value: [...contradictions, ...superseded] };
}

function conflict(
  code: "contradiction" | "superseded",
  first: Entry,
  second: Entry,
  why: string,
): AuditFinding {
  const words = code === "contradiction" ? "conflicts with" : "is replaced by";
  return {
    level: "warning",
    code,
    message: `${JSON.stringify(titleOf(first))} ${words} line ${second.from + 1}, ${JSON.stringify(titleOf(second))}: ${oneLine(why)}`,
    line: first.from + 1,
  };
}
