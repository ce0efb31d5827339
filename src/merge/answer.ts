import { z } from "zod";
import { ITEM_UNITS } from "../digest/item.ts";
import type { Operation } from "./merge.ts";

export type Answer =
  | { kind: "operations"; operations: readonly Operation[] }
  /** `findings` say what is wrong in words that the model can act on. */
  | { kind: "unreadable"; findings: readonly string[] };

/** Ids as the prompt writes them (`345`, `"#345"`, `"[12]"`), one or a list. */
const id = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^[#[]?\d+\]?$/)
    .transform((text) => Number(text.replaceAll(/\D/g, ""))),
]);
const ids = z.union([id.transform((one) => [one]), z.array(id).min(1)]);
const reason = z.string().optional();
const itemText = z
  .string()
  .transform((words) => words.replaceAll(/[\s\p{Cc}]+/gu, " ").trim())
  .pipe(z.string().min(1).max(ITEM_UNITS));

/** By the key that says what an operation does. */
const OPERATIONS: Readonly<Record<string, z.ZodType<Operation[]>>> = {
  add: z
    .object({ add: itemText, from: ids })
    .transform((op): Operation[] => [{ kind: "add", text: op.add, from: op.from }]),
  rewrite: z
    .object({ rewrite: ids, text: itemText, from: z.array(id).default([]), why: reason })
    .transform((op): Operation[] => [
      {
        kind: "rewrite",
        items: op.rewrite,
        text: op.text,
        from: op.from,
        ...(op.why ? { reason: op.why } : {}),
      },
    ]),
  confirm: z
    .object({ confirm: ids, from: ids })
    .transform((op) => op.confirm.map((item): Operation => ({ kind: "confirm", item, from: op.from }))),
  drop: z.object({ drop: ids, from: ids.optional(), why: z.string().min(1) }).transform((op) =>
    op.drop.map((item): Operation => ({
      kind: "drop",
      item,
      reason: op.why,
      ...(op.from ? { from: op.from } : {}),
    })),
  ),
  skip: z
    .object({ skip: ids, why: z.string().min(1) })
    .transform((op): Operation[] => [{ kind: "skip", from: op.skip, reason: op.why }]),
};

/** The operations in a model's answer, whatever stands around the JSON. */
export function readOperations(answer: string): Answer {
  const list = findList(answer);
  if (list === null) {
    const cut = answer.trimStart().startsWith("{") ? "; it seems to be cut off" : "";
    return { kind: "unreadable", findings: [`the answer is not one JSON object with "ops"${cut}`] };
  }
  const operations: Operation[] = [];
  const findings: string[] = [];
  for (const [n, value] of list.entries()) {
    const read = readOperation(value);
    if (typeof read === "string") findings.push(`operation ${n + 1}: ${read}`);
    else operations.push(...read);
  }
  if (list.length === 0) findings.push("there is no operation, but there are notes");
  return findings.length > 0 ? { kind: "unreadable", findings } : { kind: "operations", operations };
}

function readOperation(value: unknown): Operation[] | string {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const key = keys.find((name) => Object.hasOwn(OPERATIONS, name));
  const schema = key === undefined ? undefined : OPERATIONS[key];
  if (schema === undefined) return `has none of the keys ${Object.keys(OPERATIONS).join(", ")}`;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  return result.error.issues.map((issue) => `"${issue.path.join(".")}": ${issue.message}`).join("; ");
}

const Answered = z.union([
  z.object({ ops: z.array(z.unknown()) }).transform(({ ops }) => ops),
  z.array(z.looseObject({})).min(1),
]);

/** Brackets to try: an answer that never closes any would cost its length for each. */
const MOST_STARTS = 200;

/** The first JSON in the text that is a list of operations. */
function findList(answer: string): readonly unknown[] | null {
  for (const { index } of answer.matchAll(/[{[]/g).take(MOST_STARTS)) {
    const json = balanced(answer, index);
    if (json === null) continue;
    const parsed = parse(json);
    const list = Answered.safeParse(parsed);
    if (list.success) return list.data;
  }
  return null;
}

/** From an opening bracket to the one that closes it; `null` where none does. */
function balanced(text: string, start: number): string | null {
  let depth = 0;
  for (const token of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token[0] === "{" || token[0] === "[") depth += 1;
    else if (token[0] === "}" || token[0] === "]") depth -= 1;
    if (depth === 0) return text.slice(start, start + token.index + 1);
  }
  return null;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
