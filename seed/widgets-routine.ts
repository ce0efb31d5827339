import { type About, type Note, note } from "./note.ts";
import { PARTS, type Part } from "./widgets-parts.ts";

/**
 * The daily round in `widgets-api`: what is known of each part of it, and what is done to any part of
 * any program. It makes the history as deep and as lopsided as real ones are.
 */
export function widgetsRoutine(random: () => number): Note[] {
  const told = PARTS.flatMap((part) => [
    ...KNOWN.map((tell) => ({ part, ...tell(part, dice(random)) })),
    ...DONE.filter(() => random() < SHARE).map((tell) => ({ part, ...tell(part, dice(random)) })),
  ]);
  return shuffled(told, random).map(({ part, about, ...words }, at) => {
    const day = dayOf((at + random()) / told.length);
    const modified = about.type === "discovery" ? [] : [part.file, part.test];
    return note("widgets-api", day, { ...about, read: [part.file], modified }, words);
  });
}

/** So much of all that could have been done has been. */
const SHARE = 0.6;
const DAYS = 270;

/** More and more happens the longer a project runs. */
function dayOf(fraction: number): number {
  return 2 + Math.sqrt(fraction) * (DAYS - 2);
}

interface Told extends Pick<Note, "title" | "subtitle" | "narrative" | "facts"> {
  about: About;
}

type Dice = (least: number, most: number) => number;
type Tell = (part: Part, roll: Dice) => Told;

const KNOWN: readonly Tell[] = [
  (p) => known(p, p.how, "how-it-works", `Read while looking into ${p.table}`),
  (p) => known(p, p.trap, "gotcha", `Learned the hard way in the ${p.name}`),
  (p) => known(p, p.why, "why-it-exists", `Asked before changing ${p.file}`),
];

function known(p: Part, [title, behind]: readonly [string, string], concept: string, subtitle: string): Told {
  return {
    about: { type: "discovery", concepts: [concept] },
    title,
    subtitle,
    narrative: `${behind}. It was found in ${p.file}, around ${p.call}, and is now written down in the comment there.`,
    facts: [`${title}: ${lowerFirst(behind)}`],
  };
}

/** Most sentences name the part, since a line of a digest stands alone. */
const DONE: readonly Tell[] = [
  ({ setting: [setting, before, after], name }) => ({
    about: { type: "change", concepts: ["what-changed"] },
    title: `Default of ${setting} raised from ${before} to ${after}`,
    subtitle: `The old value was a guess from the first week of the ${name}`,
    narrative: `The default of ${setting} was ${before}, which nobody had ever measured. Under the load of last month ${after} is where the ${name} stops waiting for itself. Deployments that set the value themselves are not touched.`,
    facts: [`${setting} defaults to ${after}, before ${before}`],
  }),
  (p, roll) => {
    const before = roll(400, 1900);
    return {
      about: { type: "bugfix", concepts: ["problem-solution"] },
      title: `Slow query of the ${p.name} fixed with a partial index on ${p.table}`,
      subtitle: `${before} ms became ${roll(3, 14)} ms`,
      narrative: `The ${p.name} asks for the open rows of one shop in the order in which they came, and Postgres read all ${roll(30, 900)},000 rows of ${p.table} for it. A partial index on ${p.table} (shop_id, created_at) WHERE done_at IS NULL answers it alone; building it took ${roll(2, 9)} minutes.`,
      facts: [
        `${p.table} has a partial index (shop_id, created_at) WHERE done_at IS NULL; ${p.call} took ${before} ms without it`,
      ],
    };
  },
  (p, roll) => {
    const alert = roll(1, 5);
    return {
      about: { type: "feature", concepts: ["what-changed", "observability"] },
      title: `Metric ${p.metric} added to the ${p.name}`,
      subtitle: "With the outcome as its only label",
      narrative: `${p.call} is counted and timed as ${p.metric}, by outcome. The shop is no label: ${roll(4, 9)},000 shops would make as many time series. The alert of the ${p.name} fires when failures pass ${alert} % for ten minutes.`,
      facts: [
        `${p.metric} measures ${p.call} by outcome (ok, refused, failed); the alert fires over ${alert} % failures`,
      ],
    };
  },
  (p, roll) => ({
    about: { type: "refactor", concepts: ["what-changed"] },
    title: `${p.file} split into reading, deciding and writing`,
    subtitle: `${roll(380, 900)} lines became three files`,
    narrative: `The ${p.name} had grown by a condition a month. What it reads, what it decides and what it writes are files of their own now, and the middle one is pure: ${roll(14, 40)} tests of ${p.test} need neither database nor clock. Its golden files did not change.`,
    facts: [`The decisions of the ${p.name} are a pure function; ${p.test} runs without Postgres`],
  }),
  (p, roll) => ({
    about: { type: "bugfix", concepts: ["problem-solution", "testing"] },
    title: `Flaky ${p.test} was a race with the clock`,
    subtitle: `It failed once in ${roll(20, 90)} runs`,
    narrative: `The test compared created_at of ${p.table} with a time taken before the call. Postgres keeps microseconds and Date has milliseconds, so that once in a while a row was older than the moment before it was made. It asks the database for the time now.`,
    facts: [`${p.test} takes its times from now() of the database`],
  }),
  (p, roll) => {
    const size = roll(4, 20) * 25;
    return {
      about: { type: "change", concepts: ["trade-off"] },
      title: `The ${p.name} works in batches of ${size}`,
      subtitle: "Between the cost of a commit and the length of a lock",
      narrative: `Small batches spend their time in commits, large ones hold locks on ${p.table} that requests wait for. From 25 to 2,000 rows were measured: throughput of the ${p.name} hardly grows past ${size}, the longest wait doubles with each step.`,
      facts: [
        `With batches over ${size} rows the ${p.name} gets no faster, only the locks on ${p.table} get longer`,
      ],
    };
  },
  (p) => ({
    about: { type: "feature", concepts: ["pattern"] },
    title: `The ${p.name} plans first and applies then`,
    subtitle: "With --dry-run it prints its plan",
    narrative: `${p.call} returns what it would do as plain objects, and a second function carries them out. With --dry-run the list is printed and ${p.table} stays as it is. A plan can be tested without a database and read by a person.`,
    facts: [`${p.call} returns a plan; --dry-run prints it and leaves ${p.table} alone`],
  }),
  (p, roll) => ({
    about: { type: "bugfix", concepts: ["problem-solution"] },
    title: `The ${p.name} no longer holds a connection while it waits`,
    subtitle: `${roll(12, 38)} of 40 pool connections were idle in transaction`,
    narrative: `${p.call} opened a transaction, asked a remote service and committed when it had answered. The service took up to ${roll(2, 6)} seconds, the pool ran dry and requests timed out. The question of the ${p.name} was moved in front of its transaction.`,
    facts: [`${p.call} asks remote services before it opens its transaction, never inside`],
  }),
  (p, roll) => ({
    about: { type: "feature", concepts: ["what-changed"] },
    title: `The ${p.name} stops cleanly on SIGTERM`,
    subtitle: "The step in hand is finished, the rest goes back",
    narrative: `On SIGTERM the ${p.name} takes no further entry, ends the one in hand within ${roll(5, 25)} seconds and gives the others back. Each deployment used to leave ${roll(2, 9)} rows of ${p.table} locked until their lease ran out.`,
    facts: [`${p.call} takes an AbortSignal; SIGTERM leaves no locked rows in ${p.table}`],
  }),
  (p, roll) => {
    const rows = roll(12, 400);
    return {
      about: { type: "bugfix", concepts: ["problem-solution", "gotcha"] },
      title: `Entries at the page border of the ${p.name} were read twice`,
      subtitle: "Paging by time alone",
      narrative: `Pages were asked for with created_at >= cursor: the entry at the border came twice and, where times were equal, others never. ${p.call} pages by (created_at, id), strictly greater. In ${p.table} ${rows} repeated rows were put right.`,
      facts: [
        `${p.call} pages by (created_at, id) > cursor; ${rows} repeated rows of ${p.table} were corrected`,
      ],
    };
  },
  (p, roll) => {
    const p95 = roll(18, 140);
    return {
      about: { type: "discovery", concepts: ["how-it-works", "performance"] },
      title: `Measured: the ${p.name} under ten times the load`,
      subtitle: "Nothing has to be done before the season",
      narrative: `With ten times last month's peak the ${p.name} did ${roll(150, 900)} entries a second with one worker and ${roll(1000, 2600)} with four; from there on writing to ${p.table} is the limit and not the CPU. p95 of ${p.call} stayed at ${p95} ms.`,
      facts: [`${p.call} has a p95 of ${p95} ms at ten times the peak; the limit is ${p.table}, not CPU`],
    };
  },
  (p, roll) => {
    const months = roll(2, 12);
    return {
      about: { type: "change", concepts: ["what-changed"] },
      title: `Rows of ${p.table} are kept for ${months} months`,
      subtitle: "Older partitions are archived as Parquet",
      narrative: `${p.table} is partitioned by month. On the first of a month the oldest partition is detached, written to object storage and dropped when the copy has been read back and counted. ${p.table} shrank from ${roll(30, 90)} to ${roll(4, 14)} GB.`,
      facts: [
        `${p.table} is partitioned by month and keeps ${months}; a partition is dropped when its archived copy was counted`,
      ],
    };
  },
  (p, roll) => ({
    about: { type: "discovery", concepts: [] },
    title: `Looked into a backlog of the ${p.name}`,
    subtitle: "Nothing was wrong",
    narrative: `Somebody asked why ${roll(200, 900)} entries of ${p.table} were waiting. They had come in within a minute and were gone ${roll(2, 8)} minutes later. No change was made.`,
    facts: [],
  }),
];

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function dice(random: () => number): Dice {
  return (least, most) => least + Math.floor(random() * (most - least + 1));
}

function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
