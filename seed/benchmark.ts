import type { Observation } from "../src/digest/observation.ts";

/** A fact of the made-up project: in force from one row until another one replaces it. */
export interface SyntheticFact {
  /** What a line must name to be about this fact. */
  subject: readonly string[];
  value: string;
  /** Ids of the row that told it first, and of the row that replaced it, if one did. */
  from: number;
  until: number | null;
}

export interface SyntheticHistory {
  observations: Observation[];
  facts: SyntheticFact[];
}

const START = Date.UTC(2025, 0, 1);
const ROW_EVERY_MS = 45 * 60_000;

/**
 * A project's history, the same for the same seed: facts about its parts, told in rows with prose around
 * them, told again in other words, replaced by newer ones, and rows that tell nothing. `subjects` bounds how many
 * facts are in force at a time.
 */
export function makeHistory({
  seed,
  rows,
  subjects,
}: {
  seed: number;
  rows: number;
  subjects: number;
}): SyntheticHistory {
  const random = mulberry32(seed);
  const topics = Array.from({ length: subjects }, (_, at) => makeTopic(at, random));
  const inForce = new Map<number, { fact: SyntheticFact; version: number }>();
  const facts: SyntheticFact[] = [];
  const observations: Observation[] = [];
  for (let id = 1; id <= rows; id++) {
    const chance = random();
    const at = Math.floor(random() * random() * subjects); // some parts are worked on much more than others
    const topic = topics[at] as Topic;
    const current = inForce.get(at);
    let told: string[] = [];
    if (chance < 0.35) told = [pick(NOISE, random)];
    else if (current === undefined) {
      const fact = { subject: topic.subject, value: topic.values[0] as string, from: id, until: null };
      facts.push(fact);
      inForce.set(at, { fact, version: 0 });
      told = topic.first(fact.value);
    } else if (chance < 0.5 && current.version + 1 < topic.values.length) {
      const value = topic.values[current.version + 1] as string;
      current.fact.until = id;
      const fact = { subject: topic.subject, value, from: id, until: null };
      facts.push(fact);
      told = topic.replace(current.fact.value, value);
      inForce.set(at, { fact, version: current.version + 1 });
    } else told = topic.again(current.fact.value);
    observations.push(makeRow(id, pick(told, random), random));
  }
  return { observations, facts };
}

interface Topic {
  subject: readonly string[];
  values: readonly string[];
  /** Ways to tell a value first, again, and in the place of an older one. */
  first: (value: string) => string[];
  again: (value: string) => string[];
  replace: (old: string, value: string) => string[];
}

const SERVICES = words(
  "billing-api auth-gateway image-worker search-indexer mail-relay report-builder session-store webhook-sender",
);
const PURPOSES = words(
  "queueing caching logging templating scheduling validation routing tracing hashing bundling",
);
const LIBRARIES = words(
  "Redis RabbitMQ Kafka Valkey Postgres SQLite Fastify Express Hono Vitest Jest Pino Winston Zod Ajv esbuild Rollup",
);
const SETTINGS = words(
  "MAX_RETRIES POOL_SIZE BATCH_LIMIT CACHE_TTL_MS WORKER_COUNT QUEUE_DEPTH SOCKET_TIMEOUT FLUSH_INTERVAL",
);
const MODULES = words(
  "tokens invoices thumbnails postings digests reports sessions deliveries ledgers snapshots",
);
const VERBS = words("drops duplicates truncates reorders caches skips locks retries");

function words(text: string): string[] {
  return text.split(" ");
}

function makeTopic(at: number, random: () => number): Topic {
  const service = SERVICES[at % SERVICES.length] as string;
  const serial = Math.floor(at / SERVICES.length);
  switch (at % 5) {
    case 0: {
      const part = `${service}-${serial}`;
      return {
        subject: [part, "port"],
        values: numbers(random, 3000, 9000),
        first: (port) => [`The ${part} listens on port ${port}.`, `${part} is exposed on port ${port}.`],
        again: (port) => [
          `The ${part} listens on port ${port}.`,
          `${part} is exposed on port ${port}.`,
          `Clients reach ${part} through port ${port}.`,
        ],
        replace: (old, port) => [
          `The ${part} now listens on port ${port} instead of ${old}.`,
          `The port of ${part} changed from ${old} to ${port}.`,
          `Moved ${part} to port ${port}, because something else had ${old}.`,
        ],
      };
    }
    case 1: {
      const purpose = `${PURPOSES[at % PURPOSES.length]} in ${service}-${serial}`;
      return {
        subject: [PURPOSES[at % PURPOSES.length] as string, `${service}-${serial}`],
        values: shuffle(LIBRARIES, random).slice(0, 4),
        first: (library) => [`We use ${library} for ${purpose}.`, `Decided on ${library} for ${purpose}.`],
        again: (library) => [
          `We use ${library} for ${purpose}.`,
          `${library} is used for ${purpose}.`,
          `${library} does the ${purpose}.`,
        ],
        replace: (old, library) => [
          `Switched from ${old} to ${library} for ${purpose}.`,
          `Replaced ${old} with ${library} for ${purpose}.`,
          `${old} gave way to ${library} for ${purpose}.`,
        ],
      };
    }
    case 2: {
      const name = `${SETTINGS[at % SETTINGS.length]}_${serial}`;
      return {
        subject: [name],
        values: numbers(random, 2, 900),
        first: (value) => [`\`${name}\` defaults to ${value} in src/config/${service}.ts.`],
        again: (value) => [`\`${name}\` defaults to ${value} in src/config/${service}.ts.`],
        replace: (old, value) => [
          `\`${name}\` now defaults to ${value} in src/config/${service}.ts, it was ${old}.`,
          `Raised \`${name}\` from ${old} to ${value} in src/config/${service}.ts.`,
        ],
      };
    }
    case 3: {
      const file = `src/${MODULES[at % MODULES.length]}/${service}-${serial}.ts`;
      const verb = VERBS[at % VERBS.length] as string;
      return {
        subject: [file, verb],
        values: ["nothing"],
        first: () => [
          `${file} ${verb} rows when two workers start at once, so it must not run without the lock.`,
        ],
        again: () => [
          `${file} ${verb} rows when two workers start at once, so it must not run without the lock.`,
        ],
        replace: () => [],
      };
    }
    default: {
      const thing = `${MODULES[at % MODULES.length]} schema of ${service}-${serial}`;
      const versions = numbers(random, 1, 9).map((major, minor) => `${major}.${minor}`);
      return {
        subject: [MODULES[at % MODULES.length] as string, `${service}-${serial}`],
        values: versions,
        first: (version) => [`The ${thing} is at version ${version}.`],
        again: (version) => [
          `The ${thing} is at version ${version}.`,
          `Checked that the ${thing} is at version ${version}.`,
        ],
        replace: (old, version) => [`Upgraded the ${thing} from version ${old} to version ${version}.`],
      };
    }
  }
}

const NOISE = [
  "Looked around in the code to get an overview of the project.",
  "Ran the whole test suite again and it was green.",
  "The user asked for a summary of what was done so far.",
  "Formatted some files and fixed a few typing errors.",
  "Discussed several ways to go on without a decision.",
  "Read the documentation of a library to understand how it works.",
];

const PROSE = [
  "This came up while looking at something else in the same area.",
  "The change is small, and the tests that cover it were run before and after.",
  "It took a while to find out, because the message in the log points at another place.",
  "Nothing else in the project depends on it as far as could be seen.",
  "The reason is explained in the description of the pull request.",
  "A short note about it was left in the documentation for the next person.",
  "The user was told about it and agreed to leave it like this for the time being.",
];

function makeRow(id: number, told: string, random: () => number): Observation {
  const prose = Array.from({ length: 4 + Math.floor(random() * 6) }, () => pick(PROSE, random));
  return {
    id,
    project: "synthetic",
    type: "discovery",
    concepts: ["how-it-works"],
    title: told.replace(/\.$/, ""),
    subtitle: "",
    narrative: [told, ...prose].join(" "),
    facts: [told],
    text: "",
    epoch: START + id * ROW_EVERY_MS,
  };
}

function numbers(random: () => number, low: number, high: number): string[] {
  return [...new Set(Array.from({ length: 4 }, () => String(low + Math.floor(random() * (high - low)))))];
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

function shuffle<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
