import { type Reading, WordKind, kindOf } from "./words.ts";

/**
 * Whether `whole` says all that `part` says, and little else: the content words of `part` stand in it in
 * the same order, at least `share` of its words are those, and what it has besides is neither an
 * identifier, a number nor a limit (`only`, `before`). Negations stand before the same words, and both
 * are as certain. Word order counts: "A replaced B" is not "B replaced A".
 */
export function says(whole: Reading, part: Reading, share: number): boolean {
  if (part.words.length === 0 || part.words.length > whole.words.length) return false;
  if (part.words.length < share * whole.words.length) return false;
  return sameCertainty(whole, part) && isSubsequence(whole, part);
}

function sameCertainty(a: Reading, b: Reading): boolean {
  if (a.hedges !== b.hedges || a.negations.length !== b.negations.length) return false;
  return a.negations.length === 0 || a.negations.every((negation, at) => negation === b.negations[at]);
}

function isSubsequence({ words: whole }: Reading, { words: part }: Reading): boolean {
  let besides = whole.length - part.length;
  let at = 0;
  for (const word of whole) {
    if (at < part.length && word === part[at]) at++;
    else if (kindOf(word) !== WordKind.plain || --besides < 0) return false;
  }
  return at === part.length;
}

/** Share of the words of `part` that stand in `whole`, in any order. */
export function overlap(whole: readonly number[], part: readonly number[]): number {
  if (part.length === 0) return 0;
  let shared = 0;
  for (const word of part) if (whole.includes(word)) shared++;
  return shared / part.length;
}
