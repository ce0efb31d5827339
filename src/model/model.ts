/**
 * The seam to a language model: one prompt, one answer. Must end soon after `signal` aborts (by
 * throwing its reason), never starts a tool, never writes a file of the user's.
 */
export type Model = (prompt: Prompt, signal: AbortSignal) => Promise<ModelOutcome>;

export interface Prompt {
  /** Fixed rules; never holds text from a row. */
  system: string;
  /** Starts with fixed prose; untrusted text inside is fenced by the caller. */
  user: string;
  /** The answer is expected to be JSON. */
  json: boolean;
  /** Upper bound for the answer. */
  maxOutputTokens: number;
}

export type ModelOutcome =
  | { kind: "answered"; text: string; usage: Usage; model: string }
  /** This prompt got no usable answer. `tooLong`: a smaller one may. */
  | { kind: "refused"; reason: string; tooLong?: boolean; usage: Usage }
  /** No prompt will be answered for now (limit, login, credit, provider down). */
  | { kind: "paused"; reason: string; resumeAt?: Date; usage: Usage };

/** What calls took; zeros where no model was asked. */
export interface Usage {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars where the provider says or the list price is known, else `null`. */
  costUsd: number | null;
}

export const NO_USAGE: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** What several calls took together; the cost is unknown as soon as one of them is. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  };
}
