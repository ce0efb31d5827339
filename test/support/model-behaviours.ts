import type { ModelOutcome } from "../../src/model/model.ts";

/** How a provider behaves towards every request; each provider's fake says it in its own words. */
export type Behaviour =
  | { kind: "answers"; text: string }
  | { kind: "nothing" }
  | { kind: "limit"; resetsAt: Date }
  | { kind: "login" }
  | { kind: "credit" }
  | { kind: "overloaded" }
  | { kind: "too-long" }
  | { kind: "cut" }
  | { kind: "refusal" }
  | { kind: "slow"; ms: number };

/** What any model makes of it: the part of the outcome that must be. */
export const EXPECTED: Readonly<Record<Exclude<Behaviour["kind"], "answers">, Partial<ModelOutcome>>> = {
  nothing: { kind: "refused" },
  limit: { kind: "paused" },
  login: { kind: "paused" },
  credit: { kind: "paused" },
  overloaded: { kind: "refused" },
  "too-long": { kind: "refused", tooLong: true },
  cut: { kind: "refused", tooLong: true },
  refusal: { kind: "refused" },
  slow: { kind: "refused" },
};

/** The time limit that a model under test is given; `SLOW` is past it. */
export const LIMIT_MS = 5000;
export const SLOW: Behaviour = { kind: "slow", ms: 60_000 };
