import { overlap } from "../../text/similar.ts";
import { type Reading, readText } from "../../text/words.ts";
import { findBeginnings } from "./beginnings.ts";
import { CLAIM_BEGINNINGS, CLAIM_WORDS, type Claim, readClaims } from "./claims.ts";
import { contentOf } from "./clauses.ts";
import { CUE_BEGINNINGS, type Cue, readCues } from "./cues.ts";

/** What a statement says, and what of it can make an older one untrue. */
export interface Told {
  reading: Reading;
  change: Change;
}

export interface Change {
  claims: readonly Claim[];
  cues: readonly Cue[];
}

/** Reads what a statement changes; most change nothing, and cost a look at their words. */
export function readChange({ text, reading }: { text: string; reading: Reading }): Change {
  if (!text.includes("use") && !reading.words.some((word) => TRIGGERS.has(word))) return NO_CHANGE;
  const found = BEGINNINGS(text);
  if (found === 0) return NO_CHANGE;
  return { claims: (found & 1) === 0 ? [] : readClaims(text), cues: (found & 2) === 0 ? [] : readCues(text) };
}

const NO_CHANGE: Change = { claims: [], cues: [] };
const BEGINNINGS = findBeginnings([CLAIM_BEGINNINGS, CUE_BEGINNINGS]);

/** Words without which a statement neither claims nor ends anything. */
const TRIGGERS: ReadonlySet<number> = new Set(
  readText(
    `${CLAIM_WORDS} switch migrate move change convert transition upgrade downgrade bump raise lower reduce increase set replace instead rather
    place longer anymore more remove delete drop retire rename`,
  ).words,
);

/**
 * Why a newer statement makes an older one untrue, or null. Only for a reason that the words give: a
 * cue (`switched from`, `no longer`, `instead of`, …), or another value of the same attribute of the same
 * subject. That two statements are alike is none, and a guess does not replace what is known.
 */
export function supersedes(newer: Told, older: Told): string | null {
  if (newer.reading.hedges > older.reading.hedges) return null;
  const claim = newer.change.claims.find((now) => older.change.claims.some((then) => contradicts(now, then)));
  if (claim !== undefined) return `now ${claim.label}`;
  const cue = newer.change.cues.find((one) => ends(one, newer.reading, older.reading));
  return cue === undefined ? null : cue.label;
}

/**
 * Whether an older statement gives the same value to the same attribute and the newer one says nothing
 * besides: "still listens on port 80" adds nothing to "the port changed from 70 to 80".
 */
export function repeatsClaim(newer: Told, older: Told): boolean {
  const isRepeated = newer.change.claims.some((now) =>
    older.change.claims.some((then) => now.key === then.key && now.value === then.value),
  );
  return (
    isRepeated &&
    newer.reading.hedges === older.reading.hedges &&
    newer.reading.negations.length === 0 &&
    older.reading.negations.length === 0 &&
    overlap(older.reading.words, contentOf(newer.reading.words)) === 1
  );
}

function contradicts(now: Claim, then: Claim): boolean {
  return now.key === then.key && now.value !== then.value && (now.now || (now.functional && then.functional));
}

/** Share of what an older statement is about that the newer one must be about, too. */
const SUBJECT = 0.6;
const SAME_BUT_ENDED = 0.75;

function ends(cue: Cue, newer: Reading, { words, negations }: Reading): boolean {
  if (negations.length > 0 || words.length === 0) return false;
  const about = contentOf(words);
  switch (cue.kind) {
    case "replaced": {
      if (overlap(words, cue.gone) < 1 || overlap(words, cue.to) === 1) return false;
      const rest = about.filter((word) => !cue.gone.includes(word));
      if (rest.length > 0) return overlap(newer.words, rest) >= SUBJECT;
      return contentOf(newer.words).every((word) => cue.gone.includes(word) || cue.to.includes(word));
    }
    case "ended":
      return overlap(cue.words, about) >= SAME_BUT_ENDED;
    case "removed":
      return (
        overlap(about.slice(0, cue.gone.length + 1), cue.gone) === 1 &&
        cue.scope.every((word) => words.includes(word))
      );
  }
}
