import { distance } from "fastest-levenshtein";

/** The known words that `word` could have been meant as, nearest first, at most three; case does not count. */
export function nearest(word: string, known: readonly string[]): string[] {
  const wanted = word.toLowerCase();
  return known
    .map((name) => ({ name, away: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, away }) => away <= Math.max(2, Math.ceil(Math.min(wanted.length, name.length) / 3)))
    .toSorted((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ name }) => name);
}
