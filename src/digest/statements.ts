import { clipLine, oneLine, sentences } from "../text/sentences.ts";
import { type Reading, readText } from "../text/words.ts";
import { clipUnits } from "../text/units.ts";
import { ITEM_UNITS } from "./item.ts";
import type { Observation } from "./observation.ts";

/** One thing that an observation says. */
export interface Statement {
  /** One line, at most `ITEM_UNITS` units. */
  text: string;
  reading: Reading;
}

/**
 * What an observation says, statement by statement; the place in this list is a statement's number, by
 * which the archive names it. Title, then facts, then those sentences of the narrative that name an
 * identifier, a path or a number which the others lack; the whole narrative where there are no facts.
 */
export function readStatements(observation: Observation): Statement[] {
  const { title, facts, narrative, text, subtitle } = observation;
  const found = [title, ...facts].flatMap(pieces).map(toStatement);
  const lines = found.length === 0 ? [...linesOf(narrative), ...linesOf(text)] : linesOf(narrative);
  const prose = joinReferring(lines).flatMap((line) => (line.length <= ITEM_UNITS ? [line] : pieces(line)));
  if (facts.length === 0) found.push(...prose.map(toStatement));
  else found.push(...withNewTokens(prose, found));
  if (found.length === 0) found.push(...pieces(subtitle).map(toStatement));
  return found.length > MOST_STATEMENTS ? found.slice(0, MOST_STATEMENTS) : found;
}

/** A row may be megabytes of log; what is behind these is found through the observation. */
const MOST_STATEMENTS = 100;
const MOST_PROSE_UNITS = 60_000;

function linesOf(prose: string): string[] {
  return sentences(clipUnits(prose, MOST_PROSE_UNITS));
}

/** The texts of `readStatements`. */
export function statements(observation: Observation): string[] {
  return readStatements(observation).map(({ text }) => text);
}

function toStatement(text: string): Statement {
  return { text, reading: readText(text) };
}

/** A text that is too long for an item, in as many whole sentences to a piece as fit. */
export function pieces(text: string): string[] {
  const line = oneLine(clipUnits(text, MOST_PROSE_UNITS));
  if (line.length <= ITEM_UNITS) return line === "" ? [] : [line];
  const found: string[] = [];
  for (const sentence of sentences(clipUnits(text, MOST_PROSE_UNITS))) {
    const last = found.at(-1);
    if (last !== undefined && last.length + 1 + sentence.length <= ITEM_UNITS)
      found[found.length - 1] = `${last} ${sentence}`;
    else found.push(clipLine(sentence, ITEM_UNITS));
  }
  return found;
}

/** Sentences with those that say nothing without them: `It fails then.` */
export function joinReferring(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last !== undefined && REFERRING.test(line) && last.length + 1 + line.length <= ITEM_UNITS) {
      joined[joined.length - 1] = `${last} ${line}`;
    } else joined.push(line);
  }
  return joined;
}

const REFERRING =
  /^(?:It|This|That|These|Those|They|He|She|So|But|Otherwise|Instead|However|Therefore|Then)\b/;

function withNewTokens(prose: readonly string[], said: readonly Statement[]): Statement[] {
  const isNew = (token: string) => !said.some(({ reading }) => reading.tokens.includes(token));
  return prose
    .filter((line) => MAY_HOLD_TOKEN.test(line) && !said.some(({ text }) => text === line))
    .map(toStatement)
    .filter(({ reading }) => reading.tokens.some(isNew));
}

/** What every protected token has one of, and most prose has not. */
const MAY_HOLD_TOKEN = /[\d`_/\\@#$+=~%&^]|\w[A-Z]|[.:?]\w|--|\(\)/;
