import { clipLine, oneLine, sentences } from "../text/sentences.ts";
import type { Observation } from "../digest/observation.ts";
import { NO_USAGE } from "../model/model.ts";
import type { Merge, Operation } from "./merge.ts";

/** A mock item is a headline and a sentence, never a whole row. */
const MOCK_UNITS = 240;

/**
 * The plumbing's merge: one item a row, the same words only once, cut to length. It does not
 * consolidate; it is there to try build, resume and economics without cost or judgement.
 */
export const mock: Merge = async ({ items, observations }) => {
  const known = new Map(items.map((item) => [item.text.toLowerCase(), item.id]));
  const added = new Map<string, { text: string; from: number[] }>();
  const operations: Operation[] = [];
  for (const observation of observations) {
    const text = headline(observation);
    const key = text.toLowerCase();
    const item = known.get(key);
    const twin = added.get(key);
    if (text === "") operations.push({ kind: "skip", from: [observation.id], reason: "empty" });
    else if (item !== undefined) operations.push({ kind: "confirm", item, from: [observation.id] });
    else if (twin !== undefined) twin.from.push(observation.id);
    else added.set(key, { text, from: [observation.id] });
  }
  for (const { text, from } of added.values()) operations.push({ kind: "add", text, from });
  return { kind: "merged", operations, usage: NO_USAGE };
};

/** Asked for again when the archive names what did not fit. */
const headlines = new WeakMap<Observation, string>();

/** Title and the first sentence behind it. */
export function headline(observation: Observation): string {
  const known = headlines.get(observation);
  if (known !== undefined) return known;
  const made = makeHeadline(observation);
  headlines.set(observation, made);
  return made;
}

function makeHeadline({ title, subtitle, narrative, facts, text }: Observation): string {
  const head = oneLine(title);
  const body =
    firstSentence(narrative) || oneLine(facts[0] ?? "") || firstSentence(text) || oneLine(subtitle);
  return clipLine(
    head === "" || body === "" || head === body ? head || body : `${head} — ${body}`,
    MOCK_UNITS,
  );
}

/** Rows may be megabytes long: nothing behind the first few sentences is looked at. */
function firstSentence(text: string): string {
  return sentences(text.slice(0, 2 * MOCK_UNITS))[0] ?? "";
}
