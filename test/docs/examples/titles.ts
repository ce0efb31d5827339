import type { Merge, Operation } from "../../../src/merge/merge.ts";
import { NO_USAGE } from "../../../src/model/model.ts";

/** Keeps the titles alone, each once. */
export const titles: Merge = async ({ items, observations }) => {
  const known = new Map(items.map((item) => [item.text, item.id]));
  const operations = observations.map(({ id, title }): Operation => {
    const item = known.get(title);
    if (title === "") return { kind: "skip", from: [id], reason: "no title" };
    if (item !== undefined) return { kind: "confirm", item, from: [id] };
    return { kind: "add", text: title, from: [id] };
  });
  return { kind: "merged", operations, usage: NO_USAGE };
};
