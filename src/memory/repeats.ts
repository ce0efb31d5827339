import { type Reading, readText } from "../text/words.ts";

export interface Repeat {
  /** Place of the text that stands, in the list given. */
  of: number;
  /** Place of the one that says the same. */
  repeat: number;
  exact: boolean;
}

/** Of all words of two texts, how many both must have. */
const ALIKE = 0.75;
/** Shorter texts are alike by chance. */
const LEAST_WORDS = 3;

/**
 * Texts that say again what an earlier one says: the same words to the letter but for case, space and
 * dates, or nearly so, with the same identifiers, numbers, paths and negations, and as certain. No repeat
 * stands for another one, so that without them no two texts are alike.
 */
export function repeatsIn(texts: readonly string[]): Repeat[] {
  const repeats = new Map<number, Repeat>();
  const sketches = texts.map(sketchOf);
  const candidates = candidateFinder(sketches);
  for (const [place, sketch] of sketches.entries()) {
    const standing = candidates(sketch).filter((of) => of < place && !repeats.has(of));
    const repeat = firstAlike(sketch, standing, sketches);
    if (repeat !== null) repeats.set(place, { ...repeat, repeat: place });
  }
  return [...repeats.values()];
}

/** Texts of `texts` that `others` already say; `of` is a place in `others`. */
export function repeatsFrom(texts: readonly string[], others: readonly string[]): Repeat[] {
  const sketches = others.map(sketchOf);
  const candidates = candidateFinder(sketches);
  return texts.flatMap((text, place) => {
    const sketch = sketchOf(text);
    const repeat = firstAlike(sketch, candidates(sketch), sketches);
    return repeat === null ? [] : [{ ...repeat, repeat: place }];
  });
}

interface Sketch {
  reading: Reading;
  words: ReadonlySet<number>;
  tokens: ReadonlySet<string>;
  /** The letters alone, to know exact repeats. */
  key: string;
}

function firstAlike(
  sketch: Sketch,
  places: readonly number[],
  sketches: readonly Sketch[],
): Omit<Repeat, "repeat"> | null {
  if (sketch.words.size < LEAST_WORDS) return null;
  for (const of of places) {
    const other = sketches[of];
    if (other !== undefined && areAlike(sketch, other)) return { of, exact: sketch.key === other.key };
  }
  return null;
}

function sketchOf(text: string): Sketch {
  const bare = text.replaceAll(/\(?\d{4}-\d{2}-\d{2}\)?/g, " ");
  const reading = readText(bare);
  return {
    reading,
    words: new Set(reading.words),
    tokens: new Set(reading.tokens),
    key: bare
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  };
}

/** Texts with so many words in common share one of the rarest of either; only those are compared. */
function candidateFinder(standing: readonly Sketch[]): (sketch: Sketch) => number[] {
  const frequency = new Map<number, number>();
  for (const { words } of standing)
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const rarest = ({ words }: Sketch) =>
    [...words]
      .toSorted((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || a - b)
      .slice(0, words.size - Math.ceil(ALIKE * words.size) + 1);
  const places = new Map<number, number[]>();
  for (const [place, sketch] of standing.entries()) {
    for (const word of rarest(sketch)) places.set(word, [...(places.get(word) ?? []), place]);
  }
  return (sketch) =>
    [...new Set(rarest(sketch).flatMap((word) => places.get(word) ?? []))].toSorted((a, b) => a - b);
}

function areAlike(a: Sketch, b: Sketch): boolean {
  if (a.key === b.key) return true;
  let shared = 0;
  for (const word of a.words) if (b.words.has(word)) shared++;
  if (shared < ALIKE * (a.words.size + b.words.size - shared)) return false;
  return (
    a.tokens.symmetricDifference(b.tokens).size === 0 &&
    a.reading.hedges === b.reading.hedges &&
    sameNumbers(a.reading.negations, b.reading.negations)
  );
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}
