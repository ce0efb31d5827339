import { estimateTokens } from "../text/tokens.ts";
import { type Model, type ModelOutcome, NO_USAGE, type Usage } from "./model.ts";

/** What a call is for and what it will take, noted before it is made. */
export interface PlannedCall extends CallPurpose {
  estimatedInputTokens: number;
}

export interface CallPurpose {
  /** `merge`, `compile`, … */
  purpose: string;
  project: string;
  /** The cell's type; empty where there is none. */
  type: string;
  /** As the person wrote it: `haiku`, `openai:MODEL`. */
  model: string;
  promptVersion: string;
  /** Observations in the prompt; 0 where there are none. */
  batchRows: number;
}

export interface CallEnd {
  outcome: "answered" | "refused" | "paused" | "failed";
  reason: string | null;
  usage: Usage;
}

/**
 * Where calls are accounted for. `begin` checks the caps and notes the intent in one step, so that neither
 * a crash nor another process can hide a call; `settle` says what became of it.
 */
export interface CallLedger {
  begin(
    call: PlannedCall,
  ): { kind: "begun"; id: number } | { kind: "capped"; reason: string; resumeAt?: Date };
  settle(id: number, end: CallEnd): void;
}

export interface Caps {
  callsPerRun: number;
  callsPerDay: number;
  inputTokensPerDay: number;
}

/** Calls and (estimated, until settled) input tokens that are already noted, open intents included. */
export interface Spent {
  callsThisRun: number;
  callsToday: number;
  inputTokensToday: number;
}

/** Why the next call would pass a cap, or `null`. For a ledger to ask inside its transaction. */
export function capReached(spent: Spent, next: PlannedCall, caps: Caps): string | null {
  if (spent.callsThisRun >= caps.callsPerRun)
    return `${caps.callsPerRun} calls a run (MAX_CALLS_PER_RUN) are used up`;
  if (spent.callsToday >= caps.callsPerDay)
    return `${caps.callsPerDay} calls a day (MAX_CALLS_PER_DAY) are used up`;
  const tokens = spent.inputTokensToday + next.estimatedInputTokens;
  if (tokens <= caps.inputTokensPerDay) return null;
  return `the next call would pass ${caps.inputTokensPerDay} input tokens a day (MAX_INPUT_TOKENS_PER_DAY)`;
}

export interface Guard {
  /** The same model, each call noted in the ledger; makes none once the guard has stopped. */
  model(model: Model, purpose: CallPurpose): Model;
  /** Runs what uses a model (a merge, a compile) and counts its failures; once stopped, answers `paused` at once. */
  job<End extends { kind: string; reason?: string }>(run: () => Promise<End>): Promise<End | Stop>;
}

export type Stop = Extract<ModelOutcome, { kind: "paused" }>;

/** So many failed jobs in a row stop the run. */
const FAILURES_IN_A_ROW = 3;

/** One for a whole run: a pause anywhere, or three failed jobs in a row, stop every further call. */
export function createGuard(ledger: CallLedger): Guard {
  let failures = 0;
  let stopped: Stop | null = null;
  const stop = (reason: string, resumeAt?: Date) => {
    stopped ??= { kind: "paused", reason, ...(resumeAt === undefined ? {} : { resumeAt }), usage: NO_USAGE };
    return stopped;
  };

  return {
    model: (model, purpose) => async (prompt, signal) => {
      if (stopped !== null) return stopped;
      const estimatedInputTokens = estimateTokens(prompt.system + prompt.user);
      const begun = ledger.begin({ ...purpose, estimatedInputTokens });
      if (begun.kind === "capped") return stop(begun.reason, begun.resumeAt);
      // what an interrupted call took nobody says, but it was sent
      const usage = { calls: 1, inputTokens: estimatedInputTokens, outputTokens: 0, costUsd: null };
      let end: CallEnd = { outcome: "failed", reason: "interrupted", usage };
      try {
        const outcome = await model(prompt, signal);
        const reason = outcome.kind === "answered" ? null : outcome.reason;
        end = { outcome: outcome.kind, reason, usage: outcome.usage };
        if (outcome.kind === "paused") stop(outcome.reason, outcome.resumeAt);
        return outcome;
      } finally {
        ledger.settle(begun.id, end);
      }
    },

    job: async (run) => {
      if (stopped !== null) return stopped;
      const end = await run();
      if (end.kind === "refused") {
        failures += 1;
        if (failures >= FAILURES_IN_A_ROW) stop(`${failures} failures in a row, the last: ${end.reason}`);
      } else if (end.kind !== "paused") failures = 0;
      return end;
    },
  };
}
