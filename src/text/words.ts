import { LEXICON, Role, UNSPACED_HEDGE, UNSPACED_NEGATION } from "./lexicon.ts";

/**
 * A text as merges compare it. Every row of a backfill is read, so words are numbers, and only what
 * must survive word for word is kept as strings.
 */
export interface Reading {
  /** Content words, stemmed, and protected tokens, in the order of the text, repeats included: 30 bits of hash, 2 of `WordKind`. */
  words: number[];
  /** Identifiers, paths, URLs, flags and numbers as written, in order, repeats included. */
  tokens: string[];
  /** One number a negation, made from the content words that it stands between. */
  negations: number[];
  /** How many words make the text less certain. */
  hedges: number;
}

export const WordKind = {
  plain: 0,
  /** Narrows or moves a statement: `only`, `before`. */
  limit: 1,
  /** An identifier, a path, a number: spelt another way, it is another thing. */
  protected: 2,
} as const;

export function kindOf(word: number): number {
  return word & 3;
}

/** Reads a text: what it speaks of, what must survive word for word, how certain it is. */
export function readText(text: string): Reading {
  const reading: Reading = { words: [], tokens: [], negations: [], hedges: 0 };
  const end = load(text);
  /** Negations whose word has not come yet. */
  let pending = 0;
  let codeUntil = -1;
  let unspaced = false;
  for (let at = 0; at < end;) {
    const code = UNITS[at] as number;
    const first = classOf(code);
    if (first >= BREAK) {
      if (first === UNSPACED) {
        unspaced = true;
        pending = pushWord(reading, code << 2, pending);
      } else if (code === BACKTICK && at > codeUntil) codeUntil = closingBacktick(text, at);
      at++;
      continue;
    }
    if (code >= 0x0e00) unspaced = true; // Hangul: spaces, but no words of its own for yes and no
    const start = at;
    if (first <= UPPER && start >= codeUntil) {
      const letters = spell(start);
      const next = UNITS[start + letters] as number;
      if (letters <= LONGEST_SPELT && next !== PARENTHESIS && classOf(next) >= BREAK) {
        pending = takeSpelt(reading, letters, pending);
        at += letters;
        continue; // what most words are
      }
    }
    let inner = 0;
    for (at++; at < end; at++) {
      const next = classOf(UNITS[at] as number);
      if (next >= BREAK && !isThousandsComma(at)) break;
      inner |= 1 << next;
    }
    const bits = inner | (1 << first);
    const plain = (bits & (DIGITS | JOINERS)) === 0;
    const to = plain ? at : trimmedEnd(start, at);
    const from = plain ? start : trimmedStart(start, to);
    if (from >= to) continue;
    if (start < codeUntil || isProtected(from, to, bits, inner)) {
      reading.tokens.push(text.slice(from, to));
      pending = pushWord(reading, (hashExact(from, to) & ~3) | WordKind.protected, pending);
    } else if (plain) pending = readWord(reading, text, from, to, pending);
    else pending = readCompound(reading, text, from, to, pending);
  }
  for (; pending > 0; pending--) reading.negations.push(0);
  if (unspaced) readUnspaced(reading, text);
  return reading;
}

/** The text that is read at the moment, and a zero: typed arrays are read faster than strings. */
let UNITS = new Uint16Array(1 << 12);
let BYTES = Buffer.from(UNITS.buffer);

function load(text: string): number {
  if (text.length >= UNITS.length) {
    UNITS = new Uint16Array(2 * text.length);
    BYTES = Buffer.from(UNITS.buffer);
  }
  BYTES.write(text, "utf16le");
  UNITS[text.length] = 0;
  return text.length;
}

/** Whether two signs that stand together belong to one word or number. */
export function isOneWord(before: string, after: string): boolean {
  return isWordSign(before) && isWordSign(after);
}

function isWordSign(sign: string): boolean {
  const kind = sign === "" ? BREAK : classOf(sign.charCodeAt(0));
  return kind <= DIGIT || kind === LETTER || sign === "_";
}

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const JOINER = 3;
const LETTER = 4;
const BREAK = 5;
const UNSPACED = 6;

const UPPERS = 1 << UPPER;
const DIGITS = 1 << DIGIT;
const JOINERS = 1 << JOINER;

const BACKTICK = 96;
const PARENTHESIS = 40;
const DASH = 45;
const DOT = 46;
const LONGEST_CODE_SPAN = 300;

const ASCII_CLASS = asciiClasses();

function asciiClasses(): Uint8Array {
  const classes = new Uint8Array(128).fill(BREAK);
  for (let code = 97; code <= 122; code++) classes[code] = LOWER;
  for (let code = 65; code <= 90; code++) classes[code] = UPPER;
  for (let code = 48; code <= 57; code++) classes[code] = DIGIT;
  for (const sign of "-_/\\.:@#$+=~%&^'?") classes[sign.charCodeAt(0)] = JOINER;
  return classes;
}

function classOf(code: number): number {
  return code < 128 ? (ASCII_CLASS[code] as number) : wideClass(code);
}

function wideClass(code: number): number {
  if (code < 0xc0 || code === 0x1680 || code === 0xfeff) return BREAK; // white space beyond Latin
  if (code === 0x2019) return JOINER; // the typographic apostrophe
  if (code >= 0x0e00 && code < 0x0e80) return UNSPACED; // Thai
  if (code < 0x2000 || (code >= 0x2c00 && code < 0x2e00)) return LETTER;
  if (code < 0x2e80) return BREAK;
  if (code < 0x3041) return code >= 0x3005 && code <= 0x3007 ? UNSPACED : BREAK;
  if (code >= 0xac00 && code < 0xd7b0) return LETTER; // Hangul stands between spaces
  if (code >= 0xff10 && code <= 0xff19) return DIGIT;
  if (code >= 0xff00 && code < 0xff21) return BREAK;
  return UNSPACED;
}

function closingBacktick(text: string, at: number): number {
  const close = text.indexOf("`", at + 1);
  return close < 0 || close - at > LONGEST_CODE_SPAN ? -1 : close;
}

function isThousandsComma(at: number): boolean {
  return (UNITS[at] as number) === 44 && isDigit(UNITS[at - 1] as number) && isDigit(UNITS[at + 1] as number);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isApostrophe(code: number): boolean {
  return code === 39 || code === 0x2019;
}

const TRAILING = signs(".:?'-=&^@~");
const LEADING = signs("':?=&+%^.-");

function signs(list: string): Uint8Array {
  const set = new Uint8Array(128);
  for (const sign of list) set[sign.charCodeAt(0)] = 1;
  return set;
}

/** Leaves out the punctuation behind a token, and a possessive `'s`. */
function trimmedEnd(start: number, end: number): number {
  let to = end;
  while (to > start && isSign(TRAILING, UNITS[to - 1] as number)) to--;
  const possessive =
    to - start > 2 && (UNITS[to - 1] as number) === 115 && isApostrophe(UNITS[to - 2] as number);
  return possessive ? to - 2 : to;
}

/** Leaves out the punctuation before a token; a flag's dashes and a path's dots belong to it. */
function trimmedStart(start: number, to: number): number {
  let from = start;
  while (from < to && isSign(LEADING, UNITS[from] as number) && !opensToken(from, to)) from++;
  return from;
}

function isSign(set: Uint8Array, code: number): boolean {
  return code < 128 ? set[code] === 1 : code === 0x2019;
}

function opensToken(from: number, to: number): boolean {
  const sign = UNITS[from] as number;
  const next = from + 1 < to ? (UNITS[from + 1] as number) : 0;
  if (sign === DOT) return next === DOT || next === 47 || (next > 0 && classOf(next) <= UPPER);
  if (sign === DASH) return next === DASH || isDigit(next) || to - from === 2;
  return sign === 43 && isDigit(next);
}

function isProtected(from: number, to: number, bits: number, inner: number): boolean {
  if ((bits & DIGITS) !== 0) return true;
  if ((UNITS[to] as number) === PARENTHESIS && (UNITS[to + 1] as number) === 41) return true; // a call: name()
  if ((inner & UPPERS) !== 0 && hasInnerUpper(from, to)) return true;
  return (bits & JOINERS) !== 0 && hasCodeSign(from, to);
}

/** `camelCase`, `PascalCase`, `CONSTANT`; not `Two-Words`. */
function hasInnerUpper(from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) {
    if (ASCII_CLASS[UNITS[at] as number] === UPPER && (UNITS[at - 1] as number) !== DASH) return true;
  }
  return false;
}

function hasCodeSign(from: number, to: number): boolean {
  if ((UNITS[from] as number) === DASH) return true;
  let longestPart = 0;
  let part = 0;
  let dotted = false;
  for (let at = from; at < to; at++) {
    const sign = UNITS[at] as number;
    if (classOf(sign) !== JOINER) {
      longestPart = Math.max(longestPart, ++part);
      continue;
    }
    part = 0;
    if (sign === DOT) dotted = true;
    else if (sign !== DASH && !isApostrophe(sign)) return true;
  }
  return dotted && longestPart > 1; // `e.g` and `U.S` are abbreviations
}

function pushWord(reading: Reading, word: number, pending: number): number {
  if (pending > 0) {
    const before = reading.words.at(-1) ?? 0;
    for (let n = pending; n > 0; n--) reading.negations.push(Math.imul(before, 31) ^ word);
  }
  reading.words.push(word);
  return 0;
}

/** A word with dashes or an apostrophe. */
function readCompound(reading: Reading, text: string, from: number, to: number, pending: number): number {
  let open = pending;
  for (let part = from; part < to;) {
    const dash = text.indexOf("-", part);
    const partEnd = dash < 0 || dash >= to ? to : dash;
    const wordEnd = withoutContraction(part, partEnd);
    if (wordEnd < 0) open++;
    else if (wordEnd > part) open = readWord(reading, text, part, wordEnd, open);
    part = partEnd + 1;
  }
  return open;
}

/** Where the word ends before `'ll`, `'re`, …; -1 for `n't`. */
function withoutContraction(from: number, to: number): number {
  for (let at = to - 1; at > from && at >= to - 3; at--) {
    if (!isApostrophe(UNITS[at] as number)) continue;
    const negated = at === to - 2 && lower(to - 1) === 116 && lower(at - 1) === 110;
    return negated ? -1 : at;
  }
  return to;
}

/** The word that is read at the moment, in lower case, and the hashes of its first n letters. */
const LONGEST_SPELT = 1000;
const SPELT = new Uint8Array(LONGEST_SPELT + 1);
const HASHES = new Int32Array(LONGEST_SPELT + 2);

/** Spells a word of ASCII letters, up to its second capital. Returns how many letters it has; more than fit if it is too long. */
function spell(start: number): number {
  let letters = 0;
  let hash = BASIS;
  let code = UNITS[start] as number;
  do {
    const letter = code | 32;
    SPELT[letters] = letter;
    hash = Math.imul(hash ^ letter, PRIME);
    HASHES[++letters] = hash;
    code = UNITS[start + letters] as number;
  } while (code >= 97 && code <= 122 && letters <= LONGEST_SPELT);
  return letters;
}

/** Takes the word that was spelt. */
function takeSpelt(reading: Reading, letters: number, pending: number): number {
  const end = stemLength(letters);
  const last = SPELT[end - 1] as number;
  const before = end > 1 ? (HASHES[end - 1] as number) : BASIS;
  // `retry`, `retri(es)`: one stem
  const stem = Math.imul(before ^ (last === 121 ? 105 : last), PRIME);
  return takeWord(reading, { whole: HASHES[letters] as number, stem }, pending);
}

/** Reads one plain word. Returns the negations that still wait for theirs. */
function readWord(reading: Reading, text: string, from: number, to: number, pending: number): number {
  const letters = to - from;
  if (letters > LONGEST_SPELT) return readWideWord(reading, text.slice(from, to).toLowerCase(), pending);
  let hash = BASIS;
  for (let at = 0; at < letters; at++) {
    const code = UNITS[from + at] as number;
    if (code >= 128) return readWideWord(reading, text.slice(from, to).toLowerCase(), pending);
    SPELT[at] = code | 32;
    hash = Math.imul(hash ^ (code | 32), PRIME);
    HASHES[at + 1] = hash;
  }
  return takeSpelt(reading, letters, pending);
}

function readWideWord(reading: Reading, word: string, pending: number): number {
  const whole = hashWord(word);
  return takeWord(reading, { whole, stem: whole }, pending);
}

function takeWord(
  reading: Reading,
  { whole, stem }: { whole: number; stem: number },
  pending: number,
): number {
  const role = roleOf(whole);
  if (role === 0) return pushWord(reading, stem & ~3, pending);
  if (role === Role.function) return pending;
  if (role === Role.negation) return pending + 1;
  if (role === Role.limit) return pushWord(reading, (stem & ~3) | WordKind.limit, pending);
  reading.hedges++;
  return pending;
}

function readUnspaced(reading: Reading, text: string): void {
  for (const sign of text.matchAll(UNSPACED_NEGATION)) {
    const next = text.charCodeAt(sign.index + sign[0].length) || 0;
    reading.negations.push(classOf(next) === UNSPACED ? next : 0);
  }
  reading.hedges += text.match(UNSPACED_HEDGE)?.length ?? 0;
}

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

function hashWord(word: string): number {
  let hash = BASIS;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), PRIME);
  return hash;
}

function hashExact(from: number, to: number): number {
  let hash = 0x1505;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (UNITS[at] as number), PRIME);
  return hash ^ (hash >>> 15);
}

const ROLES: ReadonlyMap<number, number> = new Map(
  [...LEXICON].map(([word, role]) => [hashWord(word), role]),
);
/** Most words have no role; a look here spares most of them the look in the map. */
const MAY_HAVE_ROLE = new Uint8Array(1 << 14);
for (const hash of ROLES.keys()) MAY_HAVE_ROLE[(hash >>> 9) & 0x3fff] = 1;

function roleOf(hash: number): number {
  return MAY_HAVE_ROLE[(hash >>> 9) & 0x3fff] === 1 ? (ROLES.get(hash) ?? 0) : 0;
}

/** How much of the spelt word is its stem, so that `retry`, `retries` and `retried` are one word. */
function stemLength(letters: number): number {
  if (letters < 4) return letters;
  let end = letters - endingLength(letters);
  if (end > 3 && SPELT[end - 1] === 101) end--;
  if (end > 3 && SPELT[end - 1] === SPELT[end - 2]) end--;
  return end;
}

function endingLength(letters: number): number {
  const last = SPELT[letters - 1];
  const before = SPELT[letters - 2];
  if (last === 103) {
    const ing = letters > 5 && before === 110 && SPELT[letters - 3] === 105 && hasVowel(letters - 3);
    return ing ? 3 : 0;
  }
  if (last === 100) return letters > 4 && before === 101 && SPELT[letters - 3] !== 101 ? 2 : 0;
  if (last !== 115) return 0;
  if (before === 101 && letters > 4) return 2;
  return before === 115 || before === 117 || before === 105 ? 0 : 1;
}

function hasVowel(letters: number): boolean {
  for (let at = 0; at < letters; at++) {
    if (isVowel(SPELT[at] as number)) return true;
  }
  return false;
}

function isVowel(code: number): boolean {
  return code === 97 || code === 101 || code === 105 || code === 111 || code === 117 || code === 121;
}

function lower(at: number): number {
  return (UNITS[at] as number) | 32;
}
