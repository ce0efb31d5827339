import type { Store } from "../store/open.ts";
import { type ProjectFigures, newestOf, recordFigures } from "../store/projects.ts";
import { estimateTokens } from "../text/tokens.ts";
import type { Observation } from "./observation.ts";

/** What claude-mem injects: so many newest rows. */
const NEWEST = 50;

/**
 * Records the figures that a project's economics need. Tokens of the whole history are its size times
 * the tokens a unit of its newest rows: estimating every row would take longer than folding them.
 */
export async function recordEconomics(
  store: Store,
  projectIds: Iterable<number>,
  read: (ids: readonly number[]) => Promise<Observation[]>,
): Promise<void> {
  const figures = new Map<number, ProjectFigures>();
  for (const id of projectIds) {
    const texts = (await read(newestOf(store, id, NEWEST))).map(wholeText);
    const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const units = texts.reduce((sum, text) => sum + text.length, 0);
    figures.set(id, {
      tokensPerUnit: units === 0 ? 0 : tokens / units,
      recent50Tokens: tokens,
      recent50Rows: texts.length,
    });
  }
  if (figures.size > 0) store.write(() => recordFigures(store, figures));
}

function wholeText(observation: Observation): string {
  const { title, subtitle, narrative, text, facts } = observation;
  return [title, subtitle, narrative, text, ...facts].join("");
}
