import { LEXICON } from "../../text/lexicon.ts";
import { readText } from "../../text/words.ts";
import { findBeginnings } from "./beginnings.ts";
import { clausesOf, contentOf, isUnreal } from "./clauses.ts";

/** Something that has one value at a time: the port of this server, where that file lives. */
export interface Claim {
  /** Attribute and subject: the same for all statements about it. */
  key: string;
  value: string;
  /** As a person would say it: `port 8080`. */
  label: string;
  /** Has one value by its nature; another claim is only replaced by a statement that says `now`. */
  functional: boolean;
  now: boolean;
}

/** Reads one claim a clause. What is wished, planned, denied or in doubt is none. */
export function readClaims(text: string): Claim[] {
  if (!HAS_CLAIM.test(text)) return [];
  return clausesOf(text).flatMap((clause) => {
    if (!mayClaim(clause) || isUnreal(clause)) return [];
    const present = CHANGING.test(clause) ? clause.replace(/\bfrom (?:\S+ ){1,4}?to\b/i, "to") : clause; // what was is not so now
    const words = present.split(/\s+/).filter((word) => word !== "");
    return words.length < 2 || words.length > MOST_WORDS ? [] : (claimOf(words) ?? []);
  });
}

const MOST_WORDS = 30;
const CHANGING = /\b(?:switch|migrat|mov|chang|upgrad|downgrad|bump|rais|lower|reduc|increas|went|set)/i;

/** What has one value at a time. */
const ATTRIBUTES = wordSet(`
  port version timeout limit budget size default retries ttl interval threshold maximum minimum max min cap rate path url
  host hostname branch model region database language framework runtime manager format level mode license owner maintainer
  directory folder endpoint schedule deadline price plan backend provider concurrency capacity quota delay window depth
  length width height username prefix suffix bucket address email phone location employer job city hometown
`);
/** Those whose values are ordinary words. */
const CHOICES = wordSet("branch manager format level mode license region schedule city");

/** Verb and preposition → the attribute that they give a value to. */
const PLACED = new Map<string, string>(
  `listens on = port · listen on = port · hosted on = host · hosted at = host · lives in = place · lives at = place · live in = place
  stored in = place · stored at = place · located in = place · located at = place · written in = language · owned by = owner
  maintained by = owner · defaults to = value · pinned to = version · works at = employer`
    .split(/\s*[·\n]\s*/)
    .map((row) => row.split(" = ") as [string, string]),
);

const USES = wordSet("use uses run runs");
const NEEDS = wordSet("use uses run runs require requires need needs");
const LINKS = wordSet(
  "is are was were be = to set changed bumped raised lowered reduced increased moved switched became becomes",
);
const BETWEEN = wordSet("now currently at of been has");
const STOPS = wordSet(
  "for in on at of when per with by from and or to instead unless until if during under over between via",
);
/** A number behind one of these names a thing and is no value of it. */
const COUNTED = wordSet(`
  issue issues pr prs step phase task test tests case chapter part day week page line lines section ticket bug commit sprint
  round iteration milestone build run batch session attempt job item row id rule figure table example january february march
  april may june july august september october november december
`);
const UNITS = wordSet(
  "ms s sec secs second seconds m min mins minute minutes h hour hours day days kb mb gb tb bytes % px rows",
);
/** Everybody uses many things at once: for these subjects `now uses X` replaces nothing. */
const EVERYBODY = new Set(
  readText("project app application code codebase team system repository repo product tool user").words,
);

const HAS_CLAIM = new RegExp(
  `\\b(?:${[...ATTRIBUTES, ...PLACED.keys()].join("|")}|now)\\b|\\b(?:${[...NEEDS].join("|")})\\b.*(?:\\d|now)|\\buses?\\b|\\bto\\s.?\\d`,
  "i",
);

/** The words that give a value; of those of two words the first. */
const GIVING = new Set([
  ...ATTRIBUTES,
  ...NEEDS,
  ...[...PLACED.keys()].map((words) => words.split(" ")[0] as string),
  "to",
]);

/** How one word of every text with a claim begins. */
export const CLAIM_BEGINNINGS = [...GIVING, "now"].map((word) => `${word}$`);

const mayClaim = findBeginnings([CLAIM_BEGINNINGS]);

/** The words of which every claim has one. */
export const CLAIM_WORDS = [...ATTRIBUTES, ...PLACED.keys(), ...NEEDS].join(" ");

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Where a clause has what it gives a value to, and the value; all other words are the subject. */
interface Link {
  attribute: string;
  /** Words from `at` to `value` link the two; the value ends before `end`. */
  at: number;
  value: number;
  end: number;
  kind: "attribute" | "version" | "use";
}

interface Clause {
  words: readonly string[];
  lower: readonly string[];
}

function claimOf(words: readonly string[]): Claim | null {
  const clause: Clause = { words, lower: words.map(lowerWord) };
  for (let at = 0; at < words.length; at++) {
    if (!GIVING.has(clause.lower[at] as string)) continue;
    const link =
      placedLink(clause, at) ?? attributeLink(clause, at) ?? usesLink(clause, at) ?? changeLink(clause, at);
    if (link !== null) return toClaim(clause, link);
  }
  return null;
}

function lowerWord(word: string): string {
  const lower = word.toLowerCase();
  return ".,:".includes(lower.charAt(lower.length - 1)) ? lower.slice(0, -1) : lower;
}

/** `listens on port 8080`, `lives in src/config.ts`. */
function placedLink({ words, lower }: Clause, at: number): Link | null {
  const attribute = PLACED.get(`${lower[at]} ${lower[at + 1]}`);
  if (attribute === undefined) return null;
  const named = lower[at + 2] ?? "";
  if (ATTRIBUTES.has(named) && isValue(words[at + 3]))
    return { attribute: named, at, ...span(lower, at + 3), kind: "attribute" };
  return { attribute, at, ...span(lower, at + 2), kind: "attribute" };
}

/** `port 8080`, `the port of the server is 8080`, `a 30 s timeout`. */
function attributeLink(clause: Clause, at: number): Link | null {
  const { words, lower } = clause;
  const attribute = lower[at] as string;
  if (!ATTRIBUTES.has(attribute)) return null;
  const assigned = words[at]?.endsWith(":") ?? false;
  const link = isValue(words[at + 1]) || assigned ? at + 1 : linkAfter(clause, at);
  if (link < 0) return valueBefore(clause, at);
  let value = link;
  while (LINKS.has(lower[value] ?? "") || BETWEEN.has(lower[value] ?? "")) value++;
  if (/^(?:→|->|=>)$/.test(lower[value + 1] ?? "")) value += 2;
  const strength = assigned || /^(?:to|=)$/.test(lower[value - 1] ?? "") ? "assigned" : "said";
  if (!holdsValue(clause, { attribute, value, strength })) return valueBefore(clause, at);
  return { attribute, at: link, ...span(lower, value), kind: "attribute" };
}

function linkAfter({ words, lower }: Clause, at: number): number {
  if (lower[at + 1] === "of" && isValue(words[at + 2])) return at + 2;
  return lower.findIndex((word, place) => place > at && LINKS.has(word) && word !== "be");
}

/** `is main`, `set to main`, but not `is slow`: what is only said must look like a name. */
function holdsValue(
  { words, lower }: Clause,
  { attribute, value, strength }: { attribute: string; value: number; strength: "assigned" | "said" },
): boolean {
  const word = words[value];
  if (word === undefined || STOPS.has(lower[value] as string)) return false;
  if (isValue(word) || strength === "assigned" || /^[A-Z]|[/_.]\w/.test(word)) return true;
  return (
    CHOICES.has(attribute) &&
    value === words.length - 1 &&
    !/(?:ed|ing|able|ible)$/.test(lower[value] as string)
  );
}

function valueBefore({ words, lower }: Clause, at: number): Link | null {
  for (let value = at - 1; value >= Math.max(0, at - 3); value--) {
    if (!isValue(words[value])) continue;
    const end = UNITS.has(lower[value + 1] ?? "") ? value + 2 : value + 1;
    return { attribute: lower[at] as string, at: value, value, end, kind: "attribute" };
  }
  return null;
}

/** `requires Node 20` tells a version; `now uses X` replaces what was used. */
function usesLink({ lower }: Clause, at: number): Link | null {
  const verb = lower[at] as string;
  if (!NEEDS.has(verb)) return null;
  const value = lower[at + 1] === "now" ? at + 2 : at + 1;
  const name = lower[value] ?? "";
  if (
    /^v?\d[\w.]*\+?$/.test(lower[value + 1] ?? "") &&
    /^[a-z.]+$/.test(name) &&
    !COUNTED.has(name) &&
    !LEXICON.has(name)
  ) {
    return { attribute: name, at, ...span(lower, value + 1), kind: "version" };
  }
  return USES.has(verb)
    ? { attribute: verb.replace(/s$/, ""), at, ...span(lower, value), kind: "use" }
    : null;
}

/** `raised MAX_RETRIES to 5`, where no attribute is named. */
function changeLink({ words, lower }: Clause, at: number): Link | null {
  if (
    at === 0 ||
    lower[at] !== "to" ||
    !isValue(words[at + 1]) ||
    !CHANGING.test(lower.slice(0, at).join(" "))
  )
    return null;
  return { attribute: "value", at, ...span(lower, at + 1), kind: "attribute" };
}

function span(lower: readonly string[], value: number): Pick<Link, "value" | "end"> {
  let end = value;
  while (end < lower.length && end < value + 4 && !STOPS.has(lower[end] as string)) end++;
  return { value, end };
}

function isValue(word: string | undefined): boolean {
  return word !== undefined && /^[~v$]?\d|^[`"']/.test(word);
}

function toClaim({ words, lower }: Clause, link: Link): Claim | null {
  const value = lower
    .slice(link.value, link.end)
    .join(" ")
    .replaceAll(/[`"']/g, "")
    .replace(/^(?:a|an|the) /, "");
  const isOneOfMany = /^(?:and|or)$/.test(lower[link.end] ?? "") && isValue(words[link.end + 1]);
  const about = readText([...words.slice(0, link.at), ...words.slice(link.end)].join(" "));
  if (value === "" || isOneOfMany || about.negations.length > 0 || about.hedges > 0) return null;
  const attribute = readText(link.attribute).words;
  const subject = [...new Set(contentOf(about.words))].filter((word) => !attribute.includes(word));
  const isTooWide =
    link.kind === "use"
      ? subject.every((word) => EVERYBODY.has(word))
      : subject.length === 0 && link.kind !== "version";
  if (isTooWide) return null;
  return {
    key: `${link.attribute} of ${subject.toSorted((a, b) => a - b).join(" ")}`,
    value,
    label: `${link.attribute} ${value}`,
    functional: link.kind !== "use",
    now: lower[link.at - 1] === "now" || lower.slice(link.at, link.value).includes("now"),
  };
}
