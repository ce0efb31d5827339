import type { Observation } from "./observation.ts";

/** The cell of rows whose tags are none of the vocabulary. */
export const OTHER = "other";

/** However long a vocabulary is configured: a project never has more cells than this, and `other`. */
export const MOST_CELLS = 30;

/**
 * The cells that an observation belongs to, most specific first by the order of the vocabulary: the
 * first one, or with `all` each of them. Its own type counts as a tag.
 */
export function cellTypes(
  observation: Pick<Observation, "type" | "concepts">,
  vocabulary: readonly string[],
  assign: "primary" | "all" = "primary",
): string[] {
  const tags = new Set([...observation.concepts, observation.type]);
  const types = vocabulary.slice(0, MOST_CELLS).filter((type) => tags.has(type));
  if (types.length === 0) return [OTHER];
  return assign === "all" ? types : types.slice(0, 1);
}
