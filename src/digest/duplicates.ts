import { says } from "../text/similar.ts";
import { type Reading, readText } from "../text/words.ts";
import type { Observation } from "./observation.ts";

/**
 * Rows with the same key say the same to the letter, but for white space, the capital letters of
 * ordinary words, punctuation at an end and the order of the facts. 53 bits, the same on every machine.
 */
export function duplicateKey(
  observation: Pick<Observation, "project" | "title" | "subtitle" | "narrative" | "facts" | "text">,
): number {
  const { project, title, narrative, facts, text, subtitle } = observation;
  const key = new Digest();
  key.addExactly(project);
  key.addField(title);
  key.addField(narrative);
  key.addUnordered(facts);
  key.addField(text);
  if (title === "" && narrative === "" && text === "" && facts.length === 0) key.addField(subtitle);
  return key.value();
}

/** Rows with the same `duplicateKey` have the same title key; others hardly ever. */
export function titleKey(project: string, title: string): number {
  const key = new Digest();
  key.addExactly(project);
  key.addField(title);
  return key.value();
}

/** How much of the richer row the other one must be. */
const NEAR = 0.85;

/**
 * Paraphrases of one event inside a batch: id → id of the row that stands for it. The row that stands
 * is the one that says most (ties: the newer, then the higher id), and it has every content word of the
 * other in the same order; whatever differs in an identifier, a number, a path, a negation or a hedge is
 * no paraphrase. The order of the batch makes no difference.
 */
export function nearDuplicates(batch: readonly Observation[]): Map<number, number> {
  const twins = new Map<number, number>();
  const stands: Row[] = [];
  for (const row of batch.map(sketchRow).toSorted(richestFirst)) {
    const twin = stands.find((other) => isAlike(other, row) && says(readingOf(other), readingOf(row), NEAR));
    if (twin === undefined) stands.push(row);
    else twins.set(row.observation.id, twin.observation.id);
  }
  return twins;
}

interface Row {
  observation: Observation;
  units: number;
  /** Of the words that it begins with, the least hashes: rows that are alike share most of them. */
  sketch: number[];
  /** The numbers among them, in order. */
  numbers: number[];
  reading: Reading | undefined;
}

function readingOf(row: Row): Reading {
  row.reading ??= readText(fieldsOf(row.observation).join("\n"));
  return row.reading;
}

function fieldsOf({ title, facts, narrative, text }: Observation): string[] {
  return [title, ...facts, narrative, text];
}

function richestFirst(a: Row, b: Row): number {
  return (
    b.units - a.units || b.observation.epoch - a.observation.epoch || b.observation.id - a.observation.id
  );
}

/** Cheap and forgiving: a pair that says the same to 85 % passes, hardly any other does. */
function isAlike(a: Row, b: Row): boolean {
  if (b.units < a.units * 0.7) return false;
  const compared = Math.min(a.numbers.length, b.numbers.length);
  for (let at = 0; at < compared; at++) if (a.numbers[at] !== b.numbers[at]) return false;
  let shared = 0;
  for (const hash of b.sketch) if (a.sketch.includes(hash)) shared++;
  return shared > Math.min(a.sketch.length, b.sketch.length) / 2;
}

const SKETCHED = 8;
const SKETCHED_UNITS = 400;

function sketchRow(observation: Observation): Row {
  const row: Row = { observation, units: 0, sketch: [], numbers: [], reading: undefined };
  for (const field of fieldsOf(observation)) {
    if (row.units < SKETCHED_UNITS) sketchField(row, field, SKETCHED_UNITS - row.units);
    row.units += field.length;
  }
  return row;
}

/** Adds a field's words as far as they begin within `room`. */
function sketchField(row: Row, field: string, room: number): void {
  let hash = 0;
  let length = 0;
  let isNumber = false;
  for (let at = 0; at <= field.length; at++) {
    const code = at < field.length ? field.charCodeAt(at) | 32 : 32;
    const isDigit = code >= 48 && code <= 57;
    if (isDigit || (code >= 97 && code <= 122)) {
      hash = Math.imul(hash ^ code, PRIME);
      length++;
      if (isDigit) isNumber = true;
      continue;
    }
    if (isNumber) row.numbers.push(hash);
    else if (length > 3) keepLeast(row.sketch, hash);
    if (code >= 0xc0) keepLeast(row.sketch, code); // beyond Latin letters every sign counts as a word
    if (at >= room) return;
    hash = 0;
    length = 0;
    isNumber = false;
  }
}

function keepLeast(least: number[], hash: number): void {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  let at = least.length;
  if (at === SKETCHED && mixed >= (least[at - 1] as number)) return;
  if (least.includes(mixed)) return;
  while (at > 0 && mixed < (least[at - 1] as number)) at--;
  least.splice(at, 0, mixed);
  if (least.length > SKETCHED) least.pop();
}

/** A running hash of normalised text, 53 bits in two streams. Ours, because keys are stored. */
class Digest {
  #a = 0x811c9dc5;
  #b = 0x1505;

  value(): number {
    return (finish(this.#a ^ Math.imul(this.#b, 5)) >>> 11) * 2 ** 32 + (finish(this.#b) >>> 0);
  }

  addExactly(text: string): void {
    this.#add(hashSpan(text, 0, text.length));
    this.#add(FIELD_END);
  }

  addField(text: string): void {
    const normal = COMPOSABLE.test(text) ? text.normalize("NFC") : text;
    const end = withoutEndPunctuation(normal);
    let start = 0;
    let hash = BASIS;
    for (let at = 0; at <= end; at++) {
      const unit = at < end ? normal.charCodeAt(at) : SPACE;
      if (!isSpace(unit)) {
        hash = Math.imul(hash ^ unit, PRIME);
        continue;
      }
      if (at > start)
        this.#add(mayBeCapital(normal.charCodeAt(start)) ? hashUncapitalised(normal, start, at) : hash);
      start = at + 1;
      hash = BASIS;
    }
    this.#add(FIELD_END);
  }

  addUnordered(texts: readonly string[]): void {
    let a = 0;
    let b = 0;
    for (const text of texts) {
      const one = new Digest();
      one.addField(text);
      a += finish(one.#a);
      b += finish(one.#b);
    }
    this.#add(a | 0);
    this.#add(b | 0);
    this.#add(FIELD_END);
  }

  #add(word: number): void {
    this.#a = Math.imul(this.#a ^ word, PRIME) ^ (word >>> 16);
    this.#b = (Math.imul(this.#b ^ (this.#b >>> 15), 0x2c1b3c6d) + word) | 0;
  }
}

const FIELD_END = 0x10001;
const SPACE = 32;
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Below it, every text is its own composed form. */
const COMPOSABLE = /[\u0300-\uffff]/;

function hashSpan(text: string, start: number, end: number): number {
  let hash = BASIS;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash;
}

function hashUncapitalised(text: string, start: number, end: number): number {
  const capital = ordinaryCapital(text, start, end);
  if (capital < 0) return hashSpan(text, start, end);
  const word = text.slice(start, capital) + text.charAt(capital).toLowerCase() + text.slice(capital + 1, end);
  return hashSpan(word, 0, word.length);
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function isSpace(unit: number): boolean {
  if (unit < 0xa0) return unit <= 32;
  return unit === 0xa0 || (unit >= 0x2000 && unit <= 0x200d) || unit === 0x3000 || unit === 0xfeff;
}

function withoutEndPunctuation(text: string): number {
  let end = text.length;
  while (end > 0 && (isSpace(text.charCodeAt(end - 1)) || ".,;:!?…。".includes(text.charAt(end - 1)))) end--;
  return end;
}

/** A capital letter, or what may stand before one. */
function mayBeCapital(unit: number): boolean {
  if (unit < 65) return unit === 34 || unit === 39 || unit === 40 || unit === 42;
  return unit <= 91 || (unit >= 0xc0 && (unit < 0x2018 || unit <= 0x201c));
}

/** Where a word that is no identifier has its one capital letter, in front; -1 otherwise. */
function ordinaryCapital(text: string, start: number, end: number): number {
  let first = start;
  while (first < end && "(\"'“‘[*".includes(text.charAt(first))) first++;
  const unit = text.charCodeAt(first);
  const capital = (unit >= 65 && unit <= 90) || (unit >= 0xc0 && /^\p{Lu}/u.test(text.charAt(first)));
  if (!capital) return -1;
  let letters = 0;
  for (let at = first + 1; at < end; at++) {
    const next = text.charCodeAt(at);
    if ((next >= 97 && next <= 122) || (next >= 0xdf && /^\p{Ll}/u.test(text.charAt(at)))) letters++;
    else if (at + 1 < end || !",.;:!?)\"'’”]".includes(text.charAt(at))) return -1;
  }
  return letters > 0 ? first : -1;
}
