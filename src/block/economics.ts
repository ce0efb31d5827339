import type { PeekedProject } from "../store/peek.ts";
import { ESTIMATOR, estimateTokens } from "../text/tokens.ts";

/** What a history costs a session, in estimated tokens: as it is, as digests, as the block. */
export interface Economics {
  observations: number;
  rawTokens: number;
  digestTokens: number;
  blockTokens: number;
  /** Raw by digest tokens, to one decimal; 0 where nothing was built. */
  ratio: number;
  /** What claude-mem would inject; `share` is the part of the history that it covers, 0 to 1. */
  recent50: { tokens: number; observations: number; share: number };
  /** The whole history would fit into the block: a digest saves nothing here yet. */
  underFloor: boolean;
  estimator: string;
}

export interface EconomicsOf {
  projects: readonly Pick<PeekedProject, "observations" | "rawTokens" | "recent50Tokens" | "recent50Rows">[];
  /** The texts of all their items, a line each. */
  digest: string;
  block: string;
  /** The block's, in UTF-16 units. */
  budget: number;
}

/** The figures of some projects, taken together. */
export function economics({ projects, digest, block, budget }: EconomicsOf): Economics {
  const total = (figure: keyof EconomicsOf["projects"][number]) =>
    projects.reduce((sum, project) => sum + project[figure], 0);
  const observations = total("observations");
  const rawTokens = total("rawTokens");
  const digestTokens = estimateTokens(digest);
  return {
    observations,
    rawTokens,
    digestTokens,
    blockTokens: estimateTokens(block),
    ratio: ratioOf(rawTokens, digestTokens),
    recent50: recent(total("recent50Tokens"), total("recent50Rows"), observations),
    underFloor: digestTokens > 0 && rawTokens * (digest.length / digestTokens) <= budget,
    estimator: ESTIMATOR,
  };
}

export function ratioOf(rawTokens: number, digestTokens: number): number {
  return digestTokens === 0 ? 0 : Math.round((rawTokens / digestTokens) * 10) / 10;
}

/** Of several projects together claude-mem injects 50 rows as well; they cost what these rows do on average. */
function recent(tokens: number, rows: number, observations: number): Economics["recent50"] {
  const shown = Math.min(rows, 50);
  return {
    tokens: rows === 0 ? 0 : Math.round((tokens * shown) / rows),
    observations: shown,
    share: observations === 0 ? 0 : Math.round((shown / observations) * 1000) / 1000,
  };
}
