import { LEXICON, Role } from "../../text/lexicon.ts";

/**
 * Says the same in fewer units, as a headline does: articles, auxiliaries and filler go, wordy turns
 * become short ones. A rule may make a statement say less, never more and never something else:
 * identifiers, numbers, quotations, negations, hedges and limits stay as they are. Only English has rules.
 */
export function tighten(line: string): string {
  const words = shortenPhrases(splitWords(line));
  if (!isEnglish(words)) return line;
  const text = without(without(words, isFiller), isDroppable)
    .map(({ before, core, behind }) => before + core + behind)
    .join(" ");
  return text.endsWith(".") && !text.endsWith("..") && !text.endsWith("etc.") ? text.slice(0, -1) : text;
}

function without(words: readonly Word[], isGone: (words: readonly Word[], at: number) => boolean): Word[] {
  const kept: Word[] = [];
  for (const [at, word] of words.entries()) {
    if (word.frozen || word.behind !== "" || !isGone(words, at)) kept.push(word);
    else passOn(word, kept.at(-1), words[at + 1]);
  }
  return kept;
}

interface Word {
  /** Punctuation before and behind the word itself. */
  before: string;
  core: string;
  behind: string;
  lower: string;
  /** Whatever is not plainly a word, and whatever stands between quotation marks. */
  frozen: boolean;
}

/** Quotations are one piece, and so is everything between two spaces. */
const PIECE = /[("[]*"[^"]+"\S*|[([]*“[^”]+”\S*|(?<=^|\s)'[^']+'(?=[\s.,;:)]|$)\S*|(?:`[^`]{1,299}`|\S)+/g;
/** What no line without quotations has. */
const QUOTED = /["“'`]/;
const PLAIN = /^(?:[A-Z]?[a-z]+|[AI])$/;
const WORDLIKE = /^([(*[]*)(\p{Lu}?[\p{Ll}'’-]+)([)\]*.,;:!?…]*)$/u;

function splitWords(line: string): Word[] {
  return (line.match(QUOTED.test(line) ? PIECE : /\S+/g) ?? []).map((piece) => {
    if (PLAIN.test(piece))
      return { before: "", core: piece, behind: "", lower: piece.toLowerCase(), frozen: false };
    const [, before = "", core = "", behind = ""] = WORDLIKE.exec(piece) ?? [];
    if (core !== "") return { before, core, behind, lower: core.toLowerCase(), frozen: false };
    const end = /[)\]*.,;:!?…]*$/.exec(piece)?.[0] ?? "";
    const inner = piece.slice(0, piece.length - end.length);
    return { before: "", core: inner, behind: end, lower: inner.toLowerCase(), frozen: true };
  });
}

/** Common words of other languages that English does not have; some of English's own short words mean much there. */
const FOREIGN = new Set(
  `el la los las del que por para con una uno un y e o le les des du est et dans pour sur pas une avec der das und ist ein
  eine mit für nicht von zu auf den dem da em um uma com não na no ao il lo gli di che per sono nel een het van niet op voor
  w z się jest nie i är och att det som på av og til ikke en`
    .split(/\s+/)
    .filter((word) => !LEXICON.has(word)),
);
const TELLS_NOTHING = new Set("a an in on me do so am was is use used".split(" "));

function isEnglish(words: readonly Word[]): boolean {
  let english = 0;
  let foreign = 0;
  for (const { lower, frozen } of words) {
    if (frozen || TELLS_NOTHING.has(lower)) continue;
    if (((LEXICON.get(lower) ?? 0) & Role.function) !== 0) english++;
    else if (FOREIGN.has(lower)) foreign++;
  }
  return english > foreign;
}

/** Gives a dropped word's punctuation and capital letter to its neighbours. */
function passOn(gone: Word, previous: Word | undefined, next: Word | undefined): void {
  if (next !== undefined) {
    next.before = gone.before + next.before;
    if (previous === undefined && !next.frozen && startsUpper(gone)) next.core = capitalised(next.core);
  }
  if (previous !== undefined && gone.behind !== "" && !previous.behind.endsWith(gone.behind))
    previous.behind += gone.behind;
}

function startsUpper({ core }: Word): boolean {
  return core.charAt(0) !== core.charAt(0).toLowerCase();
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Wordy turn → short one, the longest that fits. Neither side may hold a negation, a hedge or a limit. */
const PHRASES = phraseTable(`
  in order to = to · so as to = to · so that = so · as well as = and · and also = and
  is able to = can · are able to = can · being able to = to · has the ability to = can · have the ability to = can
  is going to = will · are going to = will · is about to = will · are about to = will · has to = must · have to = must
  is planning to = plans to · is planning on = plans on · is planning = plans
  due to the fact that = because · because of the fact that = because · despite the fact that = although · even though = though · in the event that = if
  at this point in time = now · at the moment = now
  for the purpose of = for · with regard to = on · with respect to = on · in terms of = in · as a result of = due to
  in addition to = besides · along with = with · together with = with · in the process of =
  a large number of = many · a number of = several · a lot of = much · lots of = much · a variety of = various
  a wide range of = various · the majority of = most
  prior to = before · subsequent to = after · make use of = use · makes use of = uses · making use of = using
  it is important to note that = · it should be noted that = · it is worth noting that = · it turns out that =
  please note that = · note that = · keep in mind that =
  for example = e.g. · for instance = e.g. · such as = like · which is = · which are = · who is = · who are =
`);

function phraseTable(text: string): Map<string, { words: string[]; short: string }[]> {
  const table = new Map<string, { words: string[]; short: string }[]>();
  for (const row of text.trim().split(/\s*[·\n]\s*/)) {
    const [wordy = "", short = ""] = row.split(/\s*=\s*/);
    const words = wordy.split(" ");
    const first = words[0] as string;
    table.set(first, [...(table.get(first) ?? []), { words, short }]);
  }
  for (const entries of table.values()) entries.sort((a, b) => b.words.length - a.words.length);
  return table;
}

function shortenPhrases(words: readonly Word[]): Word[] {
  const out: Word[] = [];
  for (let at = 0; at < words.length;) {
    const word = words[at] as Word;
    const phrase = PHRASES.get(word.lower)?.find((entry) => matchesPhrase(words, at, entry.words));
    if (phrase === undefined) {
      out.push(word);
      at++;
      continue;
    }
    const last = words[at + phrase.words.length - 1] as Word;
    const next = words[at + phrase.words.length];
    at += phrase.words.length;
    if (phrase.short === "") {
      passOn({ ...word, behind: last.behind }, out.at(-1), next);
      continue;
    }
    const core = startsUpper(word) ? capitalised(phrase.short) : phrase.short;
    out.push({ before: word.before, core, behind: last.behind, lower: phrase.short, frozen: false });
  }
  return out;
}

function matchesPhrase(words: readonly Word[], at: number, phrase: readonly string[]): boolean {
  if (at + phrase.length >= words.length) return false; // a sentence does not end in a turn like these
  return phrase.every((lower, n) => {
    const word = words[at + n];
    return (
      word?.lower === lower &&
      (n === 0 || word.before === "") &&
      (n === phrase.length - 1 || word.behind === "")
    );
  });
}

const list = (words: string) => new Set(words.trim().split(/\s+/));

/** `a few` is not `few`, `once a week` not `once week`. */
const COUNTED = list("few little lot couple bit while day week month year hour minute second time");
const FILLERS = list(
  "very really quite truly actually basically simply highly extremely incredibly successfully currently recently also",
);
const PREPOSITIONS = list(
  "of in on with for from to about at by during through and or as into than towards over",
);
const PAST = list(
  "made found got had kept left lost met said sent set told thought built bought brought felt held led",
);
const ADJECTIVES = list(
  "proud glad happy sad new ready aware due full empty slow fast free busy close similar different important",
);
const ADJECTIVE_END = /(?:ful|ive|ous|able|ible|ic|less|ary|ent|ant|ed|ing)$/;
const PRONOUNS = list(
  "it that there this these those which what who he she they i we you here how where why",
);
const AUXILIARIES = list(
  "is are was were has have had can will would should could may might must do does did",
);
/** Verbs whose `that` may go. */
const SAYING = list(`
  believes believe believed thinks think thought says said mentions mentioned feels felt knows knew hopes hoped ensures ensure
  ensured means meant shows showed found finds realizes realized realised discovered noticed noted learned confirmed decided
  explained suggests suggested agrees agreed reports reported states stated
`);

function isFiller(words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  return (
    FILLERS.has((words[at] as Word).lower) &&
    next !== undefined &&
    !next.frozen &&
    !["a", "an", "one"].includes(next.lower)
  );
}

function isDroppable(words: readonly Word[], at: number): boolean {
  const word = words[at] as Word;
  const next = words[at + 1];
  if (next === undefined) return false;
  const previous = words[at - 1]?.behind === "" ? words[at - 1] : undefined; // of the same clause
  switch (word.lower) {
    case "a":
    case "an":
    case "the":
      return isLooseArticle(word, { previous, next, named: startsUpper(words[at - 2] ?? word) });
    case "is":
    case "are":
      return previous !== undefined && !PRONOUNS.has(previous.lower) && isPredicate(next);
    case "has":
    case "have":
      return at > 0 && !PRONOUNS.has(previous?.lower ?? "") && isPerfect(next, words[at + 2]);
    case "been": // `had been replaced` is not `had replaced`
      return (
        isPredicate(next) &&
        at > 1 &&
        ["has", "have"].includes(previous?.lower ?? "") &&
        isDroppable(words, at - 1)
      );
    case "that":
      return previous !== undefined && SAYING.has(previous.lower) && !AUXILIARIES.has(next.lower);
    case "his":
    case "their":
    case "its":
      return isNounLike(next);
    case "her": // an object as well: only behind a preposition it is somebody's
      return previous !== undefined && PREPOSITIONS.has(previous.lower) && isNounLike(next);
    default:
      return false;
  }
}

function isLooseArticle(
  article: Word,
  { previous, next, named }: { previous: Word | undefined; next: Word; named: boolean },
): boolean {
  if (previous !== undefined && startsUpper(article)) return false; // part of a name, or the letter A
  if (article.lower !== "the") return !COUNTED.has(next.lower);
  return !(named && previous !== undefined && startsUpper(next) && PREPOSITIONS.has(previous.lower)); // Game of the Year
}

function isNounLike(next: Word): boolean {
  return !next.frozen && !LEXICON.has(next.lower);
}

function isPredicate(next: Word): boolean {
  return (
    !next.frozen && !LEXICON.has(next.lower) && (ADJECTIVE_END.test(next.lower) || ADJECTIVES.has(next.lower))
  );
}

function isPerfect(next: Word, behind: Word | undefined): boolean {
  if (next.frozen || next.behind !== "") return false;
  if (next.lower === "been") return behind !== undefined && isPredicate(behind);
  return next.lower.endsWith("ed") || PAST.has(next.lower);
}
