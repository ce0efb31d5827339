import { type Model, NO_USAGE, addUsage } from "../model/model.ts";
import { readOperations } from "./answer.ts";
import type { Merge, MergeRequest, Operation } from "./merge.ts";
import { PROMPT_VERSION, mergePrompt, repairPrompt } from "./prompt.ts";

export interface ModelMergeOptions {
  /** The model to ask for this request, already accounted for by whoever gives it. */
  ask: (request: MergeRequest) => Model;
  /** What the gate would say of these operations, in words that a model can act on. */
  check: (request: MergeRequest, operations: readonly Operation[]) => readonly string[];
}

/**
 * Asks a model for the operations. An answer that cannot be read, and one that the gate would refuse, is
 * given back once each with what is wrong. Rows that no operation names are left to the caller, and so is
 * the gate itself: what it still finds after the second try it refuses there, by name.
 */
export function modelMerge({ ask, check }: ModelMergeOptions): Merge {
  return async (request, signal) => {
    const model = ask(request);
    const first = mergePrompt(request);
    const triesLeft = { unreadable: 1, operations: 1 };
    const findings: string[] = [];
    let usage = NO_USAGE;
    let prompt = first;
    for (;;) {
      const outcome = await model(prompt, signal);
      usage = addUsage(usage, outcome.usage);
      if (outcome.kind === "paused") return { ...outcome, usage };
      if (outcome.kind === "refused") return { ...outcome, usage, findings };
      const answer = readOperations(outcome.text);
      const wrong =
        answer.kind === "unreadable"
          ? answer.findings
          : check(named(request, answer.operations), answer.operations);
      findings.push(...wrong);
      if (wrong.length > 0 && triesLeft[answer.kind] > 0) {
        triesLeft[answer.kind] -= 1;
        prompt = repairPrompt(first, outcome.text, wrong);
        continue;
      }
      const notes = { model: outcome.model, promptVersion: PROMPT_VERSION, findings };
      if (answer.kind === "operations")
        return { kind: "merged", operations: answer.operations, usage, notes };
      const reason = `the model's answer cannot be read: ${wrong[0]}`;
      return { kind: "refused", reason, findings, usage, notes };
    }
  };
}

/** The request as far as the operations account for it: rows that they leave out are not their fault. */
function named(request: MergeRequest, operations: readonly Operation[]): MergeRequest {
  const cited = new Set(operations.flatMap((operation) => operation.from ?? []));
  return { ...request, observations: request.observations.filter(({ id }) => cited.has(id)) };
}
