import { readText } from "../../text/words.ts";

/** Verbs that only carry a value: two statements may differ in them and be about the same. */
const CARRIERS = new Set(
  readText(`
    run listen set configure change move switch migrate bump upgrade downgrade raise increase decrease reduce become make
    keep serve live store locate host deploy point write require need support target replace rename expose bind
    add introduce create implement choose pick decide adopt remain stay handle manage power base build check verify confirm
  `).words,
);

/** What the words are about, without the verbs that only carry a value. */
export function contentOf(words: readonly number[]): number[] {
  return words.filter((word) => !CARRIERS.has(word));
}

const BORDER =
  /[,;()]\s*|\.\s+|\s[-–—]\s|\s+\b(?:because|since|so|after|which|due to|as|but|while|instead of|rather than|in place of)\b\s+/;

export function clausesOf(text: string): string[] {
  return text.split(BORDER);
}

/** Whether a clause tells a wish, a plan or a condition: it changes nothing yet. */
export function isUnreal(clause: string): boolean {
  return UNREAL.test(clause);
}

const UNREAL =
  /\b(?:plan|consider|propos|recommend|suggest|intend|hop(?:e|es|ing)\b|want|evaluat|discuss|debat|should|would|will|could|might|may|if|unless|when|whenever|todo|ask(?:s|ed)?\b|need(?:s|ed)? to|going to|let's|try|tried|maybe|probably)|\?/i;
