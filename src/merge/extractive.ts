import { isMergesOwn } from "../digest/apply.ts";
import { lowest } from "../digest/fit.ts";
import type { Item } from "../digest/item.ts";
import type { Observation } from "../digest/observation.ts";
import { LEAST_WEIGHT, commonnessIn, rankWeighed, tellingOf } from "../digest/rank.ts";
import { readingOf } from "../digest/reading.ts";
import { type Statement, readStatements } from "../digest/statements.ts";
import { NO_USAGE } from "../model/model.ts";
import { overlap, says } from "../text/similar.ts";
import type { Reading } from "../text/words.ts";
import { type Told, readChange, repeatsClaim, supersedes } from "./extractive/supersede.ts";
import { tighten } from "./extractive/tighten.ts";
import { Vocabulary } from "./extractive/vocabulary.ts";
import type { Merge, MergeRequest, Operation } from "./merge.ts";

/**
 * The merge without a model. Takes the batch apart into statements; what an item says already
 * confirms it, what says more takes its place, what makes it untrue drops it with the reason. Of what is
 * new, only what would fit is added; the other statements are named. The same request gives the same
 * operations.
 */
export const extractive: Merge = async (request) => {
  const book = openBook(request);
  for (const observation of request.observations) read(book, observation, request.now);
  return { kind: "merged", operations: settle(book, request), usage: NO_USAGE };
};

/** An item, or what may become one. */
interface Line extends Told {
  text: string;
  /** Of the newest observation that says it. */
  epoch: number;
  item: Item | null;
  /** Observations of the batch that say it. */
  from: number[];
  /** The statements that it was made from, if it is no item yet. */
  statements: { observation: number; number: number }[];
  reworded: boolean;
  outdated: { by: Line; reason: string } | null;
  words: Words;
}

/** The words of a reading, by their numbers in the vocabulary, each once, in order. */
interface Words {
  numbers: readonly number[];
  /** Bits of all of them: what has a bit more cannot be a part of it. */
  bits: number;
}

/** Where a statement of the batch stands. */
interface Origin {
  observation: number;
  number: number;
  epoch: number;
  /** The lines that the same observation went into so far. */
  own: readonly Line[];
}

interface Book {
  lines: Line[];
  vocabulary: Vocabulary<Line>;
  /** Number of a word → lines that begin with it. */
  openings: Line[][];
  /** Claim → lines that make it, whatever the value. */
  claims: Map<string, Line[]>;
  /** Lines that say that something is over. */
  cued: Line[];
  /** Observations that say nothing. */
  silent: number[];
}

/** Of what a line says, as much must be the statement's for the two to be the same. */
const SAME = 0.7;
/** The same within one observation, whose title says again what its facts say. */
const RETOLD = 0.8;

function openBook({ items }: MergeRequest): Book {
  const book: Book = {
    lines: [],
    vocabulary: new Vocabulary(),
    openings: [],
    claims: new Map(),
    cued: [],
    silent: [],
  };
  for (const item of items) {
    enter(book, {
      ...tellItem(item),
      words: wordsOf(book, readingOf(item)),
      epoch: item.lastEpoch,
      item,
      from: [],
      statements: [],
      reworded: false,
      outdated: null,
    });
  }
  return book;
}

function tell({ text, reading }: Statement): Told & Statement {
  return { text, reading, change: readChange({ text, reading }) };
}

const TOLD = new WeakMap<Item, Told & Statement>();

/** Most items were there in the batch before. */
function tellItem(item: Item): Told & Statement {
  const known = TOLD.get(item);
  if (known !== undefined) return known;
  const told = tell({ text: item.text, reading: readingOf(item) });
  TOLD.set(item, told);
  return told;
}

function wordsOf({ vocabulary }: Book, { words }: Reading): Words {
  let bits = 0;
  for (const word of words) bits |= 1 << (word >>> 9);
  return { numbers: vocabulary.numbersOf(words), bits };
}

function enter(book: Book, line: Line): void {
  book.lines.push(line);
  index(book, line);
}

function index(book: Book, line: Line): void {
  const { numbers } = line.words;
  for (const number of numbers) book.vocabulary.enter(number, line);
  const opening = numbers[0];
  if (opening !== undefined) pushOnce((book.openings[opening] ??= []), line);
  for (const { key } of line.change.claims) pushTo(book.claims, key, line);
  if (line.change.cues.length > 0) book.cued.push(line);
}

function pushTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else pushOnce(list, value);
}

/** The same value is not put in twice in a row. */
function pushOnce<Value>(list: Value[], value: Value): void {
  if (list[list.length - 1] !== value) list.push(value);
}

function read(book: Book, observation: Observation, now: number): void {
  const epoch = Math.min(observation.epoch, now);
  const own: Line[] = [];
  let said = false;
  for (const [number, statement] of readStatements(observation).entries()) {
    if (statement.reading.words.length === 0) continue;
    said = true;
    own.push(note(book, statement, { observation: observation.id, number, epoch, own }));
  }
  if (!said) book.silent.push(observation.id);
}

/** Finds the line that a statement belongs to, or makes one of it. */
function note(book: Book, statement: Statement, origin: Origin): Line {
  const words = wordsOf(book, statement.reading);
  const same = lineThatSays(book, statement, words) ?? origin.own.find((line) => isRetold(line, statement));
  if (same !== undefined) return join(same, origin);
  const told = tell(statement);
  const claimants = claimantsOf(book, told);
  const repeated = claimants.find((line) => repeatsClaim(told, line));
  if (repeated !== undefined) return join(repeated, origin);
  const poorer = poorerLine(book, { statement, words, origin });
  if (poorer !== undefined) return extend(book, poorer, { ...told, words }, origin);
  const { observation, number, epoch } = origin;
  const line: Line = {
    ...told,
    words,
    epoch,
    item: null,
    from: [observation],
    statements: [{ observation, number }],
    reworded: false,
    outdated: null,
  };
  const rivals = [claimants, linesNamed(book, told), book.cued.filter((other) => other.epoch > epoch)].flat();
  for (const other of rivals) if (isAlive(other) && !other.from.includes(observation)) compare(line, other);
  enter(book, line);
  return line;
}

function claimantsOf({ claims }: Book, { change }: Told): Line[] {
  if (change.claims.length === 0) return [];
  return change.claims.flatMap(({ key }) => claims.get(key) ?? []).filter(isAlive);
}

function isAlive({ outdated }: Line): boolean {
  return outdated === null;
}

/** Among the lines that have the rarest of the statement's words. */
function lineThatSays(
  { vocabulary }: Book,
  { reading }: Statement,
  { numbers, bits }: Words,
): Line | undefined {
  let rarest = -1;
  let least = Number.MAX_SAFE_INTEGER;
  for (const number of numbers) {
    const held = vocabulary.held[number] as number;
    if (held === 0) return undefined;
    if (held < least) {
      rarest = number;
      least = held;
    }
  }
  return vocabulary.findLine(
    rarest,
    (line) => (bits & ~line.words.bits) === 0 && says(line.reading, reading, SAME) && isAlive(line),
  );
}

function isRetold(line: Line, { reading }: Statement): boolean {
  return (
    line.reading.hedges === reading.hedges &&
    line.reading.negations.length === reading.negations.length &&
    reading.tokens.every((token) => line.reading.tokens.includes(token)) &&
    overlap(line.reading.words, reading.words) >= RETOLD
  );
}

/** A line that the statement says, and more: it may take the statement's words. */
function poorerLine(
  { openings }: Book,
  {
    statement: { reading },
    words,
    origin: { epoch },
  }: { statement: Statement; words: Words; origin: Origin },
): Line | undefined {
  const mayTake = (line: Line) =>
    isAlive(line) && epoch >= line.epoch && (line.item === null || isMergesOwn(line.item));
  for (const number of words.numbers) {
    const lines = openings[number];
    if (lines === undefined) continue;
    for (const line of lines) {
      if ((line.words.bits & ~words.bits) === 0 && says(reading, line.reading, SAME) && mayTake(line))
        return line;
    }
  }
  return undefined;
}

/** Lines that a cue of the statement may be about. */
function linesNamed({ vocabulary }: Book, { change }: Told): Line[] {
  if (change.cues.length === 0) return [];
  const words = change.cues.flatMap((cue) => (cue.kind === "ended" ? cue.words : cue.gone));
  return [...new Set(words.flatMap((word) => vocabulary.linesWith(word)))];
}

function join(line: Line, { observation, number, epoch }: Origin): Line {
  if (!line.from.includes(observation)) line.from.push(observation);
  if (line.item === null) line.statements.push({ observation, number });
  line.epoch = Math.max(line.epoch, epoch);
  return line;
}

function extend(book: Book, line: Line, richer: Statement & Told & { words: Words }, origin: Origin): Line {
  if (line.item !== null && tighten(richer.text) === line.text) return join(line, origin); // longer only by what tightening takes away
  Object.assign(line, richer);
  line.reworded = true;
  index(book, line);
  return join(line, origin);
}

/** The newer of the two may make the other one untrue; a person's item never becomes so. */
function compare(line: Line, other: Line): void {
  if (line.outdated !== null) return;
  if (line.epoch < other.epoch) {
    const reason = supersedes(other, line);
    if (reason !== null) line.outdated = { by: other, reason };
  } else if (other.item === null || isMergesOwn(other.item)) {
    const reason = supersedes(line, other);
    if (reason !== null) other.outdated = { by: line, reason };
  }
}

function settle(book: Book, request: MergeRequest): Operation[] {
  const kept = choose(book, request.budgetUnits);
  const operations: Operation[] = [];
  const passed = new Map<number, number[]>();
  for (const line of book.lines) {
    if (line.item !== null) operations.push(...itemOperations(line, line.item));
    else if (line.outdated !== null) operations.push(outdate(line, line.outdated));
    else if (kept.has(line))
      operations.push({ kind: "add", text: kept.get(line) as string, from: line.from });
    else for (const { observation, number } of line.statements) pushTo(passed, observation, number);
  }
  for (const [id, statements] of passed) operations.push({ kind: "pass", from: [id], statements });
  if (book.silent.length > 0) operations.push({ kind: "skip", from: book.silent, reason: "empty" });
  return operations;
}

function itemOperations({ text, from, reworded, outdated }: Line, item: Item): Operation[] {
  const operations: Operation[] = [];
  if (reworded && outdated === null)
    operations.push({ kind: "rewrite", items: [item.id], text: tighten(text), from });
  else if (from.length > 0) operations.push({ kind: "confirm", item: item.id, from });
  if (outdated !== null)
    operations.push({ kind: "drop", item: item.id, reason: outdated.reason, from: heir(outdated.by).from });
  return operations;
}

/** What a line was superseded by may have been superseded itself. */
function heir(line: Line): Line {
  return line.outdated === null ? line : heir(line.outdated.by);
}

function outdate({ text, from }: Line, { by, reason }: NonNullable<Line["outdated"]>): Operation {
  return {
    kind: "outdate",
    text,
    from,
    reason,
    ...(by.item === null ? { heirs: heir(by).from } : { by: by.item.id }),
  };
}

/**
 * The lines that would stay when the digest is fitted, with their final words: ranked as they are
 * first, so that only what has a chance is tightened. What takes an item's place stays with it.
 */
function choose({ lines, vocabulary }: Book, budgetUnits: number): Map<Line, string> {
  const alive = lines.filter(isAlive);
  const weights = weigh(alive, vocabulary);
  const likely = best(alive, { budgetUnits: budgetUnits * SHORTLIST, weights, textOf: ({ text }) => text });
  const heirs = lines.flatMap(({ item, outdated }) =>
    item === null || outdated === null ? [] : heir(outdated.by),
  );
  const final = new Map([...likely, ...heirs].map((line) => [line, finalText(line)] as const));
  const textOf = (line: Line) => final.get(line) as string;
  const kept = best([...final.keys()], { budgetUnits, weights, textOf });
  return new Map([...kept, ...heirs].map((line) => [line, textOf(line)]));
}

/** Tightening saves up to a third of a text, so as much more may fit. */
const SHORTLIST = 1.5;

/** What each word, by its number, adds to the weight of a line that has it. */
function weigh(lines: readonly Line[], { size, words: known }: Vocabulary<Line>): Float64Array {
  const counts = new Int32Array(size);
  for (const { words } of lines)
    for (const number of words.numbers) counts[number] = (counts[number] as number) + 1;
  const common = commonnessIn(lines.length);
  const weights = new Float64Array(size);
  for (let number = 0; number < size; number++) {
    const count = counts[number] as number;
    if (count > 0) weights[number] = common(count) * tellingOf(known[number] as number);
  }
  return weights;
}

function best(
  lines: readonly Line[],
  {
    budgetUnits,
    weights,
    textOf,
  }: { budgetUnits: number; weights: Float64Array; textOf: (line: Line) => string },
): Line[] {
  const ranked = lines.map((line, age) => {
    const units = textOf(line).length;
    let weight = LEAST_WEIGHT;
    for (const number of line.words.numbers) weight += weights[number] as number;
    return { value: line, units: units + 1, rank: rankWeighed(asItem(line), units, weight), age };
  });
  const gone = new Set(lowest(ranked, budgetUnits));
  return lines.filter((line) => !gone.has(line));
}

function finalText(line: Line): string {
  return line.item === null || line.reworded ? tighten(line.text) : line.text;
}

function asItem({ item, epoch, from }: Line): Parameters<typeof rankWeighed>[0] {
  const { confirmations, pinned, origin } = item ?? { confirmations: -1, pinned: false, origin: "merged" };
  return { lastEpoch: epoch, confirmations: confirmations + from.length, pinned, origin };
}
