import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Kinds of memory directories that people have; sizes and proportions follow 83 public ones. */
export const MEMORY_SHAPES = [
  "flat",
  "sections",
  "tiered",
  "table",
  "prose",
  "dense",
  "hangul",
  "dated",
  "archived",
] as const;
export type MemoryShape = (typeof MEMORY_SHAPES)[number];

export interface MemoryDirectoryOptions {
  shape: MemoryShape;
  topics: number;
  /** The same seed makes the same directory, to the byte. */
  seed: number;
  /** Dates are counted back from this day. */
  today: Date;
  /** `\n` unless told. */
  eol?: "\n" | "\r\n";
  bom?: boolean;
}

/** Path → content; paths are relative to the directory. */
export type MemoryDirectory = ReadonlyMap<string, string>;

/** Makes a memory directory in memory: an index and its topic files, with the habits and faults of real ones. */
export function makeMemoryDirectory(options: MemoryDirectoryOptions): MemoryDirectory {
  const random = createRandom(options.seed);
  const topics = Array.from({ length: options.topics }, (_, at) => makeTopic(at, options, random));
  const files = new Map<string, string>(
    topics.map((topic) => [topic.path, topicText(topic, topics, random)]),
  );
  for (const [path, text] of SHAPES[options.shape](topics, random)) files.set(path, text);
  if (options.eol === "\r\n")
    for (const [path, text] of files) files.set(path, text.replaceAll("\n", "\r\n"));
  if (options.bom === true) files.set("MEMORY.md", `\uFEFF${files.get("MEMORY.md") ?? ""}`);
  return files;
}

export function writeMemoryDirectory(directory: string, files: MemoryDirectory): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

interface Topic {
  path: string;
  name: string;
  title: string;
  summary: string;
  type: string;
  date: string;
  day: number;
  nested: boolean;
}

type Random = (below: number) => number;
type Build = (topics: readonly Topic[], random: Random) => [string, string][];

const SHAPES: Record<MemoryShape, Build> = {
  flat: (topics, random) => [
    ["MEMORY.md", page(["# Project Memory", "", ...topics.map((topic) => linkLine(topic, random))])],
  ],
  sections: (topics, random) => [
    [
      "MEMORY.md",
      page([
        "# Project Memory",
        "",
        "## Commands",
        "",
        ...facts(random, 6),
        "",
        "## Deployment",
        "",
        ...facts(random, 18),
        "",
        "<!-- remember to tidy this up before the release -->",
        "",
        "## How to write entries",
        "",
        "```",
        "- [Title](file.md) — what it says (2026-01-01)",
        "```",
        "",
        "## Topic Files",
        ...topics.map((topic) => linkLine(topic, random)),
      ]),
    ],
  ],
  tiered: (topics, random) => {
    const groups = [...Map.groupBy(topics, (_, at) => Math.floor(at / 40)).values()];
    const indexes = groups.map((group, at): [string, string] => [
      `index-${at + 1}.md`,
      page([`# Notes, part ${at + 1}`, "", ...group.map((topic) => linkLine(topic, random))]),
    ]);
    const links = indexes.map(([path], at) => `- [Part ${at + 1}](${path}) — ${sentence(random)}`);
    return [["MEMORY.md", page(["# Project Memory", "", "See the parts below.", "", ...links])], ...indexes];
  },
  table: (topics, random) => [
    [
      "MEMORY.md",
      page([
        "# Project Memory",
        "",
        "| Topic | What it says | Updated |",
        "|---|---|---|",
        ...topics.map(({ title, path, date }) => `| [${title}](${path}) | ${sentence(random)} | ${date} |`),
      ]),
    ],
  ],
  prose: (topics, random) => [
    [
      "MEMORY.md",
      page([
        "# Project Memory",
        "",
        ...topics
          .filter((_, at) => at % 5 < 3)
          .flatMap(({ path }) => [`${capital(sentence(random))}. The details are in ${path}.`, ""]),
      ]),
    ],
  ],
  dense: (topics, random) => [
    [
      "MEMORY.md",
      page([
        "# Project Memory",
        "",
        ...topics.map((topic) => `${linkLine(topic, random)}; ${sentence(random)}`),
      ]),
    ],
  ],
  hangul: (topics, random) => [
    [
      "MEMORY.md",
      page([
        "# 프로젝트 메모리",
        "",
        ...topics.map(
          ({ path, date }) => `- [${hangul(random, 3)}](${path}) — ${hangul(random, 14)} (${date})`,
        ),
      ]),
    ],
  ],
  dated: (topics, random) => [
    [
      "MEMORY.md",
      page([
        "# Project Memory",
        "",
        ...topics.map((topic, at) => datedLine(topic, at, random)),
        "",
        "## Topic Files",
      ]),
    ],
  ],
  archived: (topics, random) => {
    const [old, live] = [topics.slice(0, topics.length >> 1), topics.slice(topics.length >> 1)];
    return [
      [
        "MEMORY.md",
        page([
          "# Project Memory",
          "",
          ...live.map((topic) => linkLine(topic, random)),
          "",
          "- [Archive](MEMORY-archive.md) — what was true once",
        ]),
      ],
      [
        "MEMORY-archive.md",
        page([
          "# Archive",
          "",
          "<!-- moved 2026-01-15 -->",
          "",
          ...old.map((topic) => linkLine(topic, random)),
        ]),
      ],
    ];
  },
};

const SEPARATORS = [" — ", " - ", " -- ", ": ", " · ", " → ", " "];

/** The ways in which people write an entry, by about their share. */
function linkLine(topic: Topic, random: Random): string {
  const { title, path, summary } = topic;
  const separator = SEPARATORS[random(10) < 6 ? 0 : random(SEPARATORS.length)] ?? " — ";
  switch (random(24)) {
    case 0:
      return `- **${title}:** [${path}](${path})${separator}${summary}`;
    case 1:
      return `- ⭐ [${title}](${path})${separator}${summary}`;
    case 2:
      return `- **[${title}](${path})**${separator}${summary}`;
    case 3:
      return `- [\`${title}\`](<${path}>)${separator}${summary}`;
    case 4:
      return `- [ ] [${title}](${path})${separator}${summary}`;
    case 5:
      return `* [${title}](./${path} "more")${separator}${summary}`;
    default:
      return `- [${title}](${path})${separator}${summary}`;
  }
}

/** One in two hundred ends in a date; the others have it elsewhere, or not at all. */
function datedLine(topic: Topic, at: number, random: Random): string {
  const { title, path, summary, date } = topic;
  switch (at % 6) {
    case 0:
      return `- [${title}](${path}) — ${summary} (${date})`;
    case 1:
      return `- [${title} (${date})](${path}): ${summary}`;
    case 2:
      return `- [${title}](${path}) — ${summary}, changed on ${date} for the ${word(random)}`;
    case 3:
      return `- [${title}](${path}) — ${summary}`;
    case 4:
      return `- ${capital(sentence(random))} (${date})\n  - and its ${word(random)}`;
    default:
      return `- ${capital(sentence(random))}`;
  }
}

function makeTopic(at: number, { today, shape }: MemoryDirectoryOptions, random: Random): Topic {
  const words = [word(random), word(random), String(at + 1)];
  const day = random(900);
  const date = new Date(today.getTime() - day * 86_400_000).toISOString().slice(0, 10);
  const inName = shape === "dated" && at % 6 === 3;
  const name = words.join(at % 7 === 3 ? "_" : "-");
  return {
    path: inName ? `session_${date}_${name}.md` : `${name}.md`,
    name: at % 3 === 0 ? `${words.join(" ")}` : name,
    title: capital(words.join(" ")),
    summary: sentence(random),
    type: ["project", "project", "feedback", "reference", "user"][random(5)] ?? "project",
    date,
    day,
    nested: at % 3 === 1,
  };
}

function topicText(topic: Topic, topics: readonly Topic[], random: Random): string {
  const fields = topic.nested
    ? ["metadata:", `  type: ${topic.type}`, `  modified: ${topic.date}T09:00:00.000Z`]
    : [`type: ${topic.type}`, `modified: ${topic.date}T09:00:00.000Z`];
  const other = topics[random(topics.length)] ?? topic;
  const link =
    random(3) === 0
      ? `\nSee also [[${random(2) === 0 ? other.name : other.path.replace(/\.md$/, "")}]].\n`
      : "";
  return page([
    "---",
    `name: ${topic.name}`,
    `description: ${topic.summary}`,
    ...fields,
    "---",
    "",
    `# ${topic.title}`,
    "",
    ...Array.from(
      { length: 4 + random(8) },
      () => `${capital(sentence(random))}. ${capital(sentence(random))}.\n`,
    ),
    ...(random(3) === 0 ? ["```sh", `run ${word(random)} --${word(random)}`, "```"] : []),
    link,
  ]);
}

function facts(random: Random, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `- ${capital(sentence(random))}, step ${at + 1}`);
}

const WORDS =
  "cache build queue parser worker index schema lock retry token session route config deploy migration hook buffer stream filter shard cursor ledger vault probe relay batch replica timeout cluster snapshot".split(
    " ",
  );
const VERBS = "needs keeps breaks skips rebuilds checks replaces delays hides copies".split(" ");
const SYLLABLES = [..."가나다라마바사아자차카타파하고노도로모보소오조초코토포호기니디리미비시이지치키티피히"];

function word(random: Random): string {
  return WORDS[random(WORDS.length)] ?? "cache";
}

function sentence(random: Random): string {
  const verb = VERBS[random(VERBS.length)] ?? "needs";
  return `the ${word(random)} ${verb} its ${word(random)} while ${word(random)} ${random(900) + 100} runs`;
}

function hangul(random: Random, words: number): string {
  const syllables = () =>
    Array.from({ length: 2 + random(3) }, () => SYLLABLES[random(SYLLABLES.length)] ?? "가").join("");
  return Array.from({ length: words }, syllables).join(" ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function page(lines: readonly string[]): string {
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Mulberry32: small, and the same on every machine. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
