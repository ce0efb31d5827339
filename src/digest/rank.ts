import { type Reading, WordKind, kindOf, readText } from "../text/words.ts";
import type { Item } from "./item.ts";
import { readingOf } from "./reading.ts";

/**
 * The one place that says which items matter more. The higher, the longer an item stays:
 *
 *   pinned, written by a person · ln(specificity) + ½ · confirmations / (confirmations + 3) + lastEpoch / five years
 *
 * Specificity is how much an item says a unit of its length. Confirmations count less and less: what is
 * said in every session (`the tests pass`) must not crowd out what was found out once. Time counts as a
 * constant rate: of two items, the one that is ahead today is ahead on any day, so that a rank can be
 * stored and compared later. A year weighs as much as a fifth of the length: age alone drops nothing.
 *
 * `among`: the digest that the item stands in; words that its items share say less about each.
 */
export function rank(item: Item, among: Commonness = ALONE): number {
  return rankWeighed(item, item.text.length, weigh(readingOf(item), among));
}

/** `rank` of something `units` long whose words were weighed already. */
export function rankWeighed(
  item: Pick<Item, "lastEpoch" | "confirmations" | "pinned" | "origin">,
  units: number,
  weight: number,
): number {
  const tier = item.pinned ? 2 : item.origin === "manual" ? 1 : 0;
  return (
    tier * TIER +
    Math.log(weight / (units + LINE_UNITS)) +
    item.confirmations / (item.confirmations + HALFWAY) / 2 +
    item.lastEpoch / HALF_DECADE
  );
}

/** The rank of each of a digest's items among the others. */
export function ranking(items: readonly Item[]): (item: Item) => number {
  const among = commonness(items.map(readingOf));
  return (item) => rank(item, among);
}

/** How common a word is in a digest, from 0 (in every item) to 1 (in one). */
export type Commonness = (word: number) => number;

function commonness(readings: readonly Reading[]): Commonness {
  const counts = new Map<number, number>();
  for (const { words } of readings) {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      if (words.indexOf(word) === at) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const scale = commonnessIn(readings.length);
  return (word) => scale(counts.get(word) ?? 1);
}

/** How common a word is that stands in so many of `items` items. */
export function commonnessIn(items: number): (count: number) => number {
  const most = Math.log(items + 1);
  const known: number[] = [];
  return (count) => (known[count] ??= Math.log((items + 1) / count) / most);
}

/** Weight of the content words, each counted once. */
function weigh({ words }: Reading, among: Commonness): number {
  let weight = LEAST_WEIGHT;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    if (words.indexOf(word) === at) weight += among(word) * tellingOf(word);
  }
  return weight;
}

/** How much a word tells where it is not common. */
export function tellingOf(word: number): number {
  return kindOf(word) === WordKind.protected ? TELLING : (WEIGHTS.get(word) ?? 1);
}

/** What has no words weighs something, too. */
export const LEAST_WEIGHT = 0.1;

const ALONE: Commonness = () => 1;
const TIER = 1000;
const HALF_DECADE = 5 * 365 * 86_400_000;
const HALFWAY = 3;
/** A line of a block costs some units more than its text. */
const LINE_UNITS = 8;
const TELLING = 2;
const VAGUE = 0.5;

/** When, how many, how long: what makes a statement checkable. */
const MEASURES = `
  yesterday tomorrow ago next night morning evening weekend day week month year hour minute decade century summer winter
  spring autumn monday tuesday wednesday thursday friday saturday sunday january february march april june july august
  september october november december two three four five six seven eight nine ten eleven twelve dozen hundred thousand
  million twice thrice half quarter third birthday anniversary deadline
`;

/** The words that everything is told with. */
const COMMON = `
  people person man woman child time way thing place part case point fact hand home house life world family friend group
  company problem question area story job word kind end side idea name reason result course moment experience
  make made take took get got go went come came give gave find found know knew see saw look say said tell told ask
  try start begin began keep kept let put set turn show leave left call need become happen bring provide include continue
  learn understand follow stop create allow add spend grow open reach stay remain plan work play move live run read write talk
  speak watch walk meet send build wait expect consider remember offer change
  new good great big small large long little old high different important real sure whole clear easy hard full special right
  back well away together later today really always far near enough
`;

/** What somebody feels about a thing, or that something was said: less of a fact than what happened. */
const ATTITUDES = `
  feel felt believe think thought hope wish want like love enjoy appreciate admire value respect trust support encourage
  inspire motivate excite thank praise compliment congratulate worry happy sad glad proud grateful gratitude thankful
  excitement excited passion passionate inspiration inspiring motivation motivated determined determination confident
  confidence amazing awesome great good nice wonderful special beautiful important importance interesting meaningful joy
  happiness express mention emphasize emphasise acknowledge describe agree discuss remark state overall general help helpful
  better best improve positive
`;

const WEIGHTS: ReadonlyMap<number, number> = new Map([
  ...readText(COMMON + ATTITUDES).words.map((word) => [word, VAGUE] as const),
  ...readText(MEASURES).words.map((word) => [word, TELLING] as const),
]);
