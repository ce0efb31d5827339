import { cleanName } from "../text/clean.ts";
import { redact } from "../text/redact.ts";
import { stringsOf } from "./values.ts";

const TAG_UNITS = 60;
const MOST_TAGS = 30;

/** A few hundred different values stand in a hundred thousand rows. */
const parsed = new Map<string, readonly string[]>();
const MOST_PARSED = 5000;

/**
 * The tags of a `concepts` column, whatever it holds: a JSON array, string or object, or words with
 * commas between them. Normalised, without repeats.
 */
export function tagsOf(concepts: string): readonly string[] {
  const known = parsed.get(concepts);
  if (known !== undefined) return known;
  const masked = words(concepts).map((word) => normaliseTag(redact(word).text));
  const tags = [...new Set(masked)].filter((tag) => tag !== "").slice(0, MOST_TAGS);
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(concepts, tags);
  return tags;
}

/** The text before `:`, lower case, spaces and `_` as `-`: models write "Gotcha: what it is about". */
export function normaliseTag(tag: string): string {
  const name = cleanName(tag.split(":", 1)[0] ?? "", TAG_UNITS);
  return name.toLowerCase().replace(/[\s_]+/g, "-");
}

function words(concepts: string): string[] {
  const strings = stringsOf(concepts);
  if (strings === null) return concepts.split(/[,;\n]/);
  return strings.length === 1 ? (strings[0] ?? "").split(/[,;\n]/) : strings;
}
