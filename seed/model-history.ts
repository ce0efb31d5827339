import type { Observation } from "../src/digest/observation.ts";
import { type Random, createRandom } from "./random.ts";
import { PARTS, type Part } from "./widgets-parts.ts";

/** As lopsided as real ones: shares of a hundred tags, and of a hundred rows. */
const CONCEPTS: Readonly<Record<string, number>> = {
  "what-changed": 34,
  "how-it-works": 28,
  "problem-solution": 14,
  gotcha: 9,
  pattern: 6,
  "why-it-exists": 5,
  "trade-off": 3,
  decision: 1,
};
const TYPES: Readonly<Record<string, number>> = {
  discovery: 40,
  change: 20,
  bugfix: 15,
  feature: 13,
  refactor: 7,
  decision: 5,
};

const FIRST_EPOCH = Date.UTC(2026, 0, 5, 8);
const ROW_EVERY_MS = 47 * 60_000;

/**
 * One project of claude-mem's for benchmarks of model merges, the same rows for the same number. A row is
 * written as claude-mem's own model writes them, about 1,400 characters with a title, a subtitle, five facts and a
 * narrative that tells the facts again with what is around them. What is known of a part is told again and again; no row repeats another one as a whole.
 */
export function makeModelHistory(rows: number): Observation[] {
  const random = createRandom(rows);
  return Array.from({ length: rows }, (_, at) => makeRow(at + 1, random));
}

function makeRow(id: number, random: Random): Observation {
  const part = pick(PARTS, random);
  const details = detailsOf(part, random);
  const { title, subtitle, facts, narrative } = pick(EVENTS, random)(part, details);
  const [known, behind] = pick([part.how, part.trap, part.why], random);
  const concepts = new Set<string>();
  const count = 1 + random(3);
  while (concepts.size < count) concepts.add(draw(CONCEPTS, random));
  return {
    id,
    project: "widgets-api",
    type: draw(TYPES, random),
    concepts: [...concepts],
    title,
    subtitle,
    narrative: `${narrative} ${pick(CLOSINGS, random)(details)}`,
    facts: [...facts, `${known}: ${behind}`],
    text: "",
    epoch: FIRST_EPOCH + id * ROW_EVERY_MS,
  };
}

/** Narratives end in what their writer makes of it. */
const CLOSINGS: readonly ((details: Details) => string)[] = [
  ({ other }) =>
    `This establishes a clear picture of the path and shows where the ${other.name} would have to be touched next.`,
  ({ other }) =>
    `With this in place the work on the ${other.name} can go on without waiting for anything else.`,
  ({ who }) => `The change was kept as small as possible so that ${who} can review it in one sitting.`,
  () => "Understanding this flow is important for everything that is planned for the next release.",
];

/** What makes one event of a kind another one than the last. */
interface Details {
  ms: number;
  less: number;
  rows: number;
  line: number;
  commit: string;
  shop: string;
  day: string;
  who: string;
  other: Part;
  doubt: string;
}

type Event = Pick<Observation, "title" | "subtitle" | "narrative" | "facts">;

function detailsOf(part: Part, random: Random): Details {
  return {
    ms: 300 + random(4000),
    less: 5 + random(90),
    rows: 1000 + random(90_000),
    line: 10 + random(600),
    commit: (0x1000000 + random(0xfffffff)).toString(16).slice(0, 7),
    shop: `shop-${100 + random(900)}`,
    day: new Date(FIRST_EPOCH + random(300) * 86_400_000).toISOString().slice(0, 10),
    who: pick(["Ana", "Jonas", "Priya", "Tomasz", "Mei"], random),
    other: pick(
      PARTS.filter((candidate) => candidate !== part),
      random,
    ),
    doubt: pick(["Probably", "It seems that", "Perhaps"], random),
  };
}

const EVENTS: readonly ((part: Part, details: Details) => Event)[] = [
  (p, d) => ({
    title: `Slow ${p.name} traced to a sequential scan of ${p.table} at ${p.file}:${d.line}`,
    subtitle: `${p.call} took ${d.ms} ms for ${d.shop} and takes ${d.less} ms with the index of commit ${d.commit}`,
    facts: [
      `${p.call} read all ${d.rows} rows of ${p.table} for one request of ${d.shop}, ${d.ms} ms at the median`,
      `The query at ${p.file}:${d.line} filters on shop_id and created_at, for which ${p.table} had no index`,
      `Commit ${d.commit} adds ${p.table}_shop_created_idx, after which the same request takes ${d.less} ms`,
      `${p.test} has a case with ${d.rows} rows that fails above ${d.less * 4} ms`,
    ],
    narrative: `Support reported on ${d.day} that pages of ${d.shop} with the ${p.name} had become slow. Tracing the request showed that nearly all of its ${d.ms} ms went into one query of ${p.call}, which asks for the open rows of a single shop in the order in which they came. Postgres had no index to answer it and read ${p.table} from beginning to end each time, so that the cost grew with every shop that joined. A combined index on shop and creation time was added concurrently in commit ${d.commit}, without a lock on ${p.table}. ${d.doubt} the ${d.other.name} has the same problem in ${d.other.table}; that was not verified. The median of the request is at ${d.less} ms since then, and a test with as many rows as the largest shop has keeps it there.`,
  }),
  (p, d) => ({
    title: `${p.setting[0]} raised from ${d.less} to ${d.less * 3} after the incident of ${d.day}`,
    subtitle: `The old value made ${p.call} give up while the ${d.other.name} was still answering`,
    facts: [
      `${p.setting[0]} defaults to ${d.less * 3} since commit ${d.commit}, before that to ${d.less}`,
      `On ${d.day} ${d.rows} calls of ${p.call} were cut off although ${d.other.call} answered within ${d.ms} ms`,
      `Deployments that set ${p.setting[0]} themselves are not touched by the new default`,
      `${p.metric} has an alert now at ${d.less} failures in ten minutes`,
    ],
    narrative: `During the incident of ${d.day} the ${p.name} reported failures for ${d.rows} calls, most of which had in truth succeeded on the other side. The reason was the time-out in ${p.file}: the default of ${p.setting[0]} came from the first week of the project, when nothing behind the ${p.name} took longer. Since the ${d.other.name} takes part, ${d.ms} ms is an ordinary answer. ${d.who} proposed to retry instead, which was rejected because ${d.other.call} is not idempotent and a second call books twice. The default was therefore tripled in commit ${d.commit} and the alert on ${p.metric} was set so low that the next drift is seen within the hour. The runbook names the setting and says how to change it for a single shop such as ${d.shop}.`,
  }),
  (p, d) => ({
    title: `How the ${p.name} hands over to the ${d.other.name}: ${p.file} reads ${d.other.table}`,
    subtitle: `Read from ${p.file} and ${d.other.file} before changing either at commit ${d.commit}`,
    facts: [
      `${p.call} writes one row to ${p.table} and leaves the rest to ${d.other.call}, which polls every ${d.less} seconds`,
      `The hand-over happens at ${p.file}:${d.line} inside the transaction of the request`,
      `${d.other.call} takes at most ${d.ms} rows of ${p.table} at a time and deletes what it has done`,
      `${p.setting[0]} and ${d.other.setting[0]} have to be changed together`,
    ],
    narrative: `The two parts share no code and no queue: the only thing between them is the table ${p.table}. A request to the ${p.name} inserts a row there in its own transaction, so that nothing is handed over when the request fails. The ${d.other.name} wakes up every ${d.less} seconds, locks the oldest rows with SKIP LOCKED and works them off in the order of their ids. ${p.why[0]}, which is why the row holds a copy of the body and not a reference. The two time-outs belong together: whoever raises ${p.setting[0]} alone makes the ${d.other.name} take rows whose request has not ended. ${d.doubt} this explains the ${d.rows} duplicates that ${d.shop} saw on ${d.day}, but nobody has looked at their ids.`,
  }),
  (p, d) => ({
    title: `Trap in ${p.file}: ${p.call} must not run inside a transaction of the ${d.other.name}`,
    subtitle: `${d.rows} rows of ${p.table} were written twice on ${d.day}`,
    facts: [
      `${p.call} opens a connection of its own, so a rollback of ${d.other.call} does not undo it`,
      `On ${d.day} a rollback in ${d.other.file}:${d.line} left ${d.rows} rows in ${p.table} that belong to nothing`,
      `An assertion at the top of ${p.call} throws when a transaction is open, since commit ${d.commit}`,
      `${p.trap[0]}`,
    ],
    narrative: `Calling ${p.call} from within the transaction of the ${d.other.name} looks harmless and passes every test that does not roll back. In production it does not hold: the ${p.name} takes a second connection from the pool, writes through it and commits at once. When the outer transaction fails afterwards, its own rows vanish and those in ${p.table} stay. That is what happened to ${d.shop} on ${d.day}, and cleaning up took ${d.who} an afternoon with a script that compares both tables. Passing the connection down was tried and given up because ${d.ms} ms of lock time on ${p.table} would have been the price. Commit ${d.commit} makes the mistake impossible instead, and ${p.test} has a case for it. The comment above the assertion tells the story in three lines.`,
  }),
  (p, d) => ({
    title: `Decided to keep ${p.table} in Postgres instead of moving the ${p.name} to a service of its own`,
    subtitle: `Proposal of ${d.who}, discussed on ${d.day} with figures from ${d.shop}`,
    facts: [
      `${p.table} grows by ${d.rows} rows a day and is pruned after ${d.less} days by ${p.call}`,
      `A separate service was rejected: ${d.other.call} joins ${p.table} in the same transaction`,
      `The decision is to be looked at again when the median of ${p.metric} passes ${d.ms} ms`,
      `docs/decisions/${d.day}-${p.table}.md has the measurements`,
    ],
    narrative: `${d.who} had proposed to cut the ${p.name} out of the monolith because its table is the one that grows fastest. The measurements speak against it for now: at ${d.rows} new rows a day and with pruning after ${d.less} days the table stays small enough to be cached, and the slowest query over it is well below the limit that was agreed. What weighs more is that the ${d.other.name} reads and writes it together with its own rows; across two services this would need an outbox and a second pruning job. ${p.why[0]}, and that would have to be rebuilt as well. The price of staying is one more table in the nightly backup and a migration lock once a quarter. The decision holds until ${p.metric} says otherwise.`,
  }),
  (p, d) => ({
    title: `Flaky ${p.test} made deterministic by freezing the clock of ${p.call}`,
    subtitle: `It failed once in ${d.less} runs, always around midnight UTC`,
    facts: [
      `${p.test} compared dates that ${p.call} takes from the wall clock at ${p.file}:${d.line}`,
      `The clock is an argument of ${p.call} since commit ${d.commit}, and tests pass a fixed one`,
      `${d.other.test} uses the same helper, test/support/clock.ts`,
      `The suite passed ${d.ms} times in a row afterwards`,
    ],
    narrative: `The test had been marked as flaky for weeks and was retried by the pipeline, which hid that all of its failures were within a minute of midnight. ${p.call} asked for the time twice: once for the row that it writes to ${p.table} and once for the answer, and on ${d.day} the two fell on different days for the first time while somebody was watching. The time is taken once now and handed through. ${d.who} searched for the same pattern and found it in the ${d.other.name} as well, where it was changed in the same commit ${d.commit}. Retries are off again for both files. ${d.doubt} the remaining failures of the nightly run come from the ${d.rows} rows that the fixture loads, which is a guess from their timing.`,
  }),
  (p, d) => ({
    title: `Added a dry run to the ${p.name}: ${p.call} reports what it would write to ${p.table}`,
    subtitle: `Asked for by support, who had no way to see what a correction for ${d.shop} does`,
    facts: [
      `${p.call} takes { dryRun: true } and then returns its plan without a write to ${p.table}`,
      `The endpoint answers ?dry_run=1 with 200 and at most ${d.ms} planned rows`,
      `Plan and execution share planFor${p.table.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}() in ${p.file}`,
      `${p.test} compares plan and result over ${d.rows} generated inputs`,
    ],
    narrative: `Corrections through the ${p.name} used to be done blind: support started one, waited, and asked a developer when the outcome was not what they had wanted, most lately on ${d.day} for ${d.shop}. The function was split into a pure part that says what would be done and a loop that does it, so that the dry run cannot tell anything else than the real one. Long plans are cut for the answer, the count is always complete. The ${d.other.name} shows the plan in its own page and needs no change. Reviewers asked whether the plan may be stale when it is carried out; it may, and the loop therefore checks the version of each row and leaves out what has changed in the last ${d.less} seconds. It went out with commit ${d.commit}.`,
  }),
  (p, d) => ({
    title: `Convention: errors of the ${p.name} carry a code from ${p.file} and never the text of ${d.other.call}`,
    subtitle: `Partners had begun to match on messages, seen in the logs of ${d.shop}`,
    facts: [
      `Codes of the ${p.name} are listed in ${p.file}:${d.line} and documented in docs/errors.md`,
      `Messages may change at any time; codes are part of the API since version ${d.less}`,
      `A lint rule of commit ${d.commit} refuses throw new Error() in the folder of ${p.call}`,
      `${p.metric} is labelled by code; there are ${5 + (d.less % 20)} of them`,
    ],
    narrative: `The ${p.name} used to pass on whatever ${d.other.call} had thrown, with internals of ${d.other.table} in it. On ${d.day} a reworded message broke the integration of ${d.shop}, which had compared the text. Each failure has a code now that is stable, a message for people and a hint; whatever comes from below is kept as the cause for the log alone. ${d.who} wrote the lint rule so that nobody has to remember it. Old clients still get the message in the same field, which is a concession for ${d.ms} days and then ends. Counting by code showed at once that a single one makes up most of the ${d.rows} failures of a month: the expired session, which is no failure at all and is answered with 401 since.`,
  }),
];

function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[random(values.length)] as Value;
}

/** One of the words, each as often as its share says. */
function draw(shares: Readonly<Record<string, number>>, random: Random): string {
  let left = random(Object.values(shares).reduce((sum, share) => sum + share, 0));
  for (const [word, share] of Object.entries(shares)) {
    if (left < share) return word;
    left -= share;
  }
  throw new Error("the shares do not add up");
}
