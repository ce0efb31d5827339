import { tighten } from "../merge/extractive/tighten.ts";
import { headline } from "../merge/mock.ts";
import type { Observation } from "./observation.ts";
import { statements } from "./statements.ts";

/** Stands in the archive for title and first sentence together, which is what `mock` makes of a row. */
export const HEADLINE = -1;

/**
 * By which number the archive can name a text that follows from the observation: its place in
 * `statements`, as it stands or tightened. Null: the words have to be kept.
 */
export function statementNumber(observation: Observation, text: string): number | null {
  if (headline(observation) === text) return HEADLINE;
  const number = statements(observation).findIndex(
    (statement) => statement === text || tighten(statement) === text,
  );
  return number < 0 ? null : number;
}
