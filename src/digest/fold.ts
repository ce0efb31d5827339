import type { Merge, MergeOutcome, MergeRequest, Operation } from "../merge/merge.ts";
import type { Applied } from "./apply.ts";
import { apply } from "./apply.ts";
import { fit } from "./fit.ts";
import { type GateFinding, gate } from "./gate.ts";
import type { Item } from "./item.ts";
import type { Observation } from "./observation.ts";

/** A batch folded into a digest, ready to be stored. */
export interface Folded {
  kind: "folded";
  /** In digest order, within the budget. */
  items: readonly Item[];
  /** What operations took out, and statements that never became items. */
  left: Applied["left"];
  passed: Applied["passed"];
  /** Observations that add nothing, with why. */
  skipped: ReadonlyMap<number, string>;
  /** What the budget took out, items of this batch included. */
  evicted: readonly Item[];
  nextItemId: number;
  outcome: Extract<MergeOutcome, { kind: "merged" }>;
}

export type FoldOutcome =
  | Folded
  | {
      kind: "refused" | "too-long";
      code: string;
      reason: string;
      findings: readonly string[];
      outcome: MergeOutcome;
    }
  | { kind: "paused"; outcome: Extract<MergeOutcome, { kind: "paused" }> };

export interface FoldWith {
  merge: Merge;
  /** Folds what `merge` left unaccounted for; must account for everything. */
  fallback: Merge;
  nextItemId: number;
}

/**
 * digest(n) = fit(apply(digest(n-1), merge(digest(n-1), batch))): one step, from values to a value.
 * The gate looks at every merge's operations, ours included; what it finds in a model's refuses the batch.
 */
export async function fold(
  request: MergeRequest,
  using: FoldWith,
  signal: AbortSignal,
): Promise<FoldOutcome> {
  const outcome = await using.merge(request, signal);
  if (outcome.kind === "paused") return { kind: "paused", outcome };
  if (outcome.kind === "refused") {
    const { reason, tooLong = false, findings = [] } = outcome;
    return {
      kind: tooLong ? "too-long" : "refused",
      code: tooLong ? "too-long" : "refused",
      reason,
      findings,
      outcome,
    };
  }
  let operations = await withRemainder(request, outcome.operations, using.fallback, signal);
  let findings = gate(request, operations);
  if (findings.length > 0 && outcome.usage.calls === 0) {
    operations = withoutRefused(operations, findings);
    // each thing that such a merge drops has the newer statement beside it, however many there are
    findings = gate(request, operations).filter(({ code }) => code !== "shrink");
  }
  if (findings.length > 0) {
    return {
      kind: "refused",
      code: "gate",
      reason: gateReason(findings),
      findings: findings.map((f) => `${f.code}: ${f.message}`),
      outcome,
    };
  }
  const { items, left, passed, accounted, nextItemId } = apply(request, operations, using.nextItemId);
  const { kept, evicted } = fit(items, { budgetUnits: request.budgetUnits });
  const skipped = new Map(
    [...accounted].flatMap(([id, account]) => (account.kind === "skipped" ? [[id, account.reason]] : [])),
  );
  return { kind: "folded", items: kept, left, passed, skipped, evicted, nextItemId, outcome };
}

/**
 * What asked no model says the same the next time: refused whole, it would hold its cell up for good. So
 * only the operations that the gate objects to are left out, and their rows are noted as skipped for it.
 */
function withoutRefused(
  operations: readonly Operation[],
  findings: readonly GateFinding[],
): readonly Operation[] {
  const objections = new Map(findings.map(({ operation, code }) => [operation, code]));
  const kept = operations.filter((_, at) => !objections.has(at));
  const cited = new Set(kept.flatMap((operation) => operation.from ?? []));
  const skips = operations.flatMap((operation, at): Operation[] => {
    const left = (operation.from ?? []).filter((id) => !cited.has(id));
    const code = objections.get(at);
    if (code === undefined || left.length === 0) return [];
    for (const id of left) cited.add(id);
    return [{ kind: "skip", from: left, reason: `the gate refused its words: ${code}` }];
  });
  return [...kept, ...skips];
}

/** Rows that the merge said nothing about are folded without it: nothing falls between the chairs. */
async function withRemainder(
  request: MergeRequest,
  operations: readonly Operation[],
  fallback: Merge,
  signal: AbortSignal,
): Promise<readonly Operation[]> {
  const cited = new Set(operations.flatMap((operation) => operation.from ?? []));
  const rest = request.observations.filter((observation) => !cited.has(observation.id));
  if (rest.length === 0) return operations;
  const untouched = itemsUntouched(request.items, operations);
  const outcome = await fallback({ ...request, items: untouched, observations: rest }, signal);
  return outcome.kind === "merged" ? [...operations, ...outcome.operations] : operations;
}

function itemsUntouched(items: readonly Item[], operations: readonly Operation[]): Item[] {
  const touched = new Set(
    operations.flatMap((operation) =>
      operation.kind === "rewrite" ? operation.items : operation.kind === "drop" ? [operation.item] : [],
    ),
  );
  return items.filter((item) => !touched.has(item.id));
}

function gateReason(findings: readonly GateFinding[]): string {
  const codes = [...new Set(findings.map((finding) => finding.code))];
  return `the gate refused the merge: ${codes.join(", ")}`;
}

/** The batch as merges get it: oldest first, ties by id. */
export function oldestFirst(observations: readonly Observation[]): Observation[] {
  return observations.toSorted((a, b) => a.epoch - b.epoch || a.id - b.id);
}
