import { readText } from "../../text/words.ts";
import { clausesOf, contentOf, isUnreal } from "./clauses.ts";

/** What a statement says is over. */
export type Cue =
  /** `gone` made way, for `to` if that is known. */
  | { kind: "replaced"; gone: readonly number[]; to: readonly number[]; label: string }
  /** `words`, with `no longer`. */
  | { kind: "ended"; words: readonly number[]; label: string }
  /** `gone` is not there any more, as far as `scope` goes. */
  | { kind: "removed"; gone: readonly number[]; scope: readonly number[]; label: string };

/** Reads `switched from A to B`, `replaced A with B`, `B instead of A`, `no longer`, `A was removed` and their like. */
export function readCues(text: string): Cue[] {
  if (!HAS_CUE.test(text)) return [];
  const cues: Cue[] = [];
  const lower = text.toLowerCase();
  for (const { has, pattern } of REPLACED) {
    if (!has.some((words) => lower.includes(words))) continue;
    for (const match of text.matchAll(pattern)) {
      if (isReal(sentenceUpTo(text, match.index), match[0]))
        pushReplaced(cues, { whole: match[0], gone: match[1] ?? "", to: match[2] ?? "" });
    }
  }
  if (CLAUSE_HAS.some((word) => lower.includes(word))) {
    for (const clause of clausesOf(text)) readClause(cues, clause.trim());
  }
  return cues;
}

/** How one word of every text with a cue begins. */
export const CUE_BEGINNINGS =
  `switch|migrat|mov|chang|convert|transition|upgrad|downgrad|bump|rais|lower|replac|remov|delet|
  dropp|retire|renam|instead of|rather than|in place of|no longer|anymore|any more`.split(/\|\s*/);
const HAS_CUE = new RegExp(`\\b(?:${CUE_BEGINNINGS.join("|")})`, "i");

/** A thing: up to six words, ended by punctuation or a word that begins something else. */
const THING = String.raw`([^\s,;:()]+(?: [^\s,;:()]+){0,5}?)`;
const END = String.raw`(?=\s*(?:[,;:()]|\.(?:\s|$)|$)|\s+(?:for|because|since|in|on|as|to|when|after|before|so|and|which|with|at|by|due|but|while|from|is|was|until)\b)`;
const WAS = "(?:was|is|are|were|has been|have been|got)";

/** Ways to say that the first thing made way, for the second one if there is one; and what a text with one `has`. */
const REPLACED: readonly { has: readonly string[]; pattern: RegExp }[] = [
  {
    has: ["from"],
    pattern: String.raw`\b(?:switch|migrat|mov|chang|convert|transition|upgrad|downgrad|bump|rais|lower|renam)\w*\b(?:\s+\S+){0,6}?\s+from ${THING}\s+to ${THING}${END}`,
  },
  { has: ["replace"], pattern: String.raw`\breplace(?:d|s)? ${THING}\s+(?:with|by) ${THING}${END}` },
  { has: ["rename"], pattern: String.raw`\brename(?:d|s)? ${THING}\s+(?:to|into|as) ${THING}${END}` },
  {
    has: ["instead of", "rather than", "in place of", "no longer"],
    pattern: String.raw`\b(?:instead of|rather than|in place of|no longer (?:us(?:es?|ing)|needs?|requires?|depends? on|relies on)) ${THING}${END}`,
  },
].map(({ has, pattern }) => ({ has, pattern: new RegExp(pattern, "gi") }));

/** One of these has every clause that ends something. */
const CLAUSE_HAS = ["no longer", "more", "replaced", "removed", "deleted", "dropped", "retired"];

/** What stands before these is the thing. */
const WAS_REPLACED = new RegExp(String.raw`\s(?:${WAS} )?replaced (?:with|by) ${THING}${END}`, "i");
const WAS_REMOVED = new RegExp(String.raw`\s(?:${WAS} )?(?:now )?(?:removed|deleted|dropped|retired)\b`, "i");
const REMOVED = new RegExp(String.raw`^(?:[\w-]+ )?(?:removed|deleted|dropped|retired) ${THING}${END}`, "i");
const ENDED = /\bno longer\b|(?:\bnot|n't)\b.{0,30}\bany ?more\b/i;

function readClause(cues: Cue[], clause: string): void {
  if (isUnreal(clause)) return;
  if (ENDED.test(clause)) cues.push({ kind: "ended", words: readText(clause).words, label: clause });
  const replaced = WAS_REPLACED.exec(clause);
  if (replaced !== null && isReal(clause.slice(0, replaced.index), "")) {
    pushReplaced(cues, { whole: clause, gone: clause.slice(0, replaced.index), to: replaced[1] ?? "" });
  }
  const removed = REMOVED.exec(clause);
  if (removed !== null)
    return pushRemoved(cues, { clause, thing: removed[1] ?? "", rest: clause.slice(removed[0].length) });
  const gone = WAS_REMOVED.exec(clause);
  if (gone === null || !isReal(clause.slice(0, gone.index), "")) return;
  pushRemoved(cues, {
    clause,
    thing: clause.slice(0, gone.index),
    rest: clause.slice(gone.index + gone[0].length),
  });
}

/** Neither denied nor only thought of. */
function isReal(before: string, cue: string): boolean {
  return readText(before).negations.length === 0 && !isUnreal(`${before} ${cue}`);
}

function sentenceUpTo(text: string, at: number): string {
  return text.slice(
    Math.max(text.lastIndexOf(". ", at), text.lastIndexOf("; ", at), text.lastIndexOf(", ", at), -1) + 1,
    at,
  );
}

const MOST_OF_A_THING = 6;

function pushReplaced(
  cues: Cue[],
  { whole, gone: goneText, to }: { whole: string; gone: string; to: string },
): void {
  const gone = wordsOf(goneText);
  if (gone.length === 0 || gone.length > MOST_OF_A_THING) return;
  cues.push({ kind: "replaced", gone, to: wordsOf(to), label: whole.trim() });
}

/** One plain word is no thing: "dropped support for Node 16" did not remove all that is about support. */
function pushRemoved(
  cues: Cue[],
  { clause, thing, rest }: { clause: string; thing: string; rest: string },
): void {
  const { words: gone, tokens } = readText(thing);
  if (gone.length > MOST_OF_A_THING || (gone.length < 2 && tokens.length === 0)) return;
  cues.push({ kind: "removed", gone, scope: wordsOf(rest), label: clause });
}

function wordsOf(text: string): number[] {
  return [...new Set(contentOf(readText(text).words))];
}
