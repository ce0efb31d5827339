import type { Usage } from "./model.ts";

/** US dollars for a million tokens. */
interface Price {
  input: number;
  output: number;
}

/**
 * List prices as Claude Code 2.1.332 itself counts with (`costBasis: list`), taken from its answers in
 * November 2026. A subscription pays otherwise; they serve estimates.
 */
const PRICES: Readonly<Record<string, Price>> = {
  "claude-haiku-5-5": { input: 0.1, output: 0.5 },
  "claude-haiku-4-5": { input: 1, output: 5 },
  "claude-sonnet-5-5": { input: 2, output: 10 },
  "claude-sonnet-5": { input: 2, output: 10 },
  "claude-sonnet-4-6": { input: 3, output: 15 },
  "claude-sonnet-4-5": { input: 3, output: 15 },
  "claude-opus-5-5": { input: 4, output: 20 },
  "claude-opus-5": { input: 5, output: 25 },
  "claude-opus-4-6": { input: 5, output: 25 },
  "claude-opus-4-5": { input: 5, output: 25 },
};

/** What Claude Code's short names stood for then. */
const ALIASES: Readonly<Record<string, string>> = {
  haiku: "claude-haiku-5-5",
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
};

/** What so many tokens cost at list price, in US dollars; `null` for a model whose price is not known here. */
export function listCost(model: string, tokens: Pick<Usage, "inputTokens" | "outputTokens">): number | null {
  const price = PRICES[ALIASES[model] ?? model.replace(/-\d{8}$/, "")];
  if (price === undefined) return null;
  return (tokens.inputTokens * price.input + tokens.outputTokens * price.output) / 1_000_000;
}
