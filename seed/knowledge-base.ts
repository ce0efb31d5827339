import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Random, createRandom } from "./random.ts";

export interface KnowledgeBaseOptions {
  /** The same seed makes the same base, to the byte. */
  seed: number;
  articles: number;
  /** How many of each fault; none unless told. */
  faults?: Partial<Record<Fault, number>>;
}

export const FAULTS = [
  "broken-link",
  "unlisted",
  "orphan-page",
  "orphan-source",
  "stale-article",
  "missing-backlink",
  "sparse-article",
] as const;
export type Fault = (typeof FAULTS)[number];

/** What a lint should say: no more and no less. */
export interface ExpectedFinding {
  check: Fault;
  article: string;
  target?: string;
}

export interface KnowledgeBase {
  /** Path → content; paths are relative to the base's folder. */
  files: ReadonlyMap<string, string>;
  expected: readonly ExpectedFinding[];
}

/**
 * A knowledge base as a compiler leaves it after months, with so many faults of each kind, and with much that looks
 * like one and is none: links in code and comments, shell conditions, aliases, headings, bare and
 * capitalised names, escaped bars, logs by person, near-duplicate slugs, an index rewritten by hand, CRLF.
 */
export function makeKnowledgeBase({
  seed,
  articles: count,
  faults = {},
}: KnowledgeBaseOptions): KnowledgeBase {
  const random = createRandom(seed);
  const logs = makeLogs(Math.max(20, Math.floor(count / 5)));
  const pages = makePages(count, logs);
  linkPages(pages, random);
  for (const page of pages) page.extra.push(...decoys(page, pages, random));
  const expected: ExpectedFinding[] = [];
  const base: Draft = {
    pages,
    logs,
    record: new Set(logs.map(({ name }) => name)),
    stale: new Set(),
    rows: [],
    random,
  };
  for (const fault of FAULTS) expected.push(...MAKE[fault](base, faults[fault] ?? 0));
  return { files: render(base), expected };
}

export function writeKnowledgeBase(folder: string, { files }: Pick<KnowledgeBase, "files">): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

interface Page {
  path: string;
  title: string;
  log: string;
  links: Set<string>;
  /** More lines of body. */
  extra: string[];
  short: boolean;
  updated: string;
}

interface Log {
  /** Relative to `daily/`. */
  name: string;
  text: string;
}

interface Draft {
  pages: Page[];
  logs: Log[];
  /** Logs that were compiled. */
  record: Set<string>;
  /** Those that changed since. */
  stale: Set<string>;
  /** Rows of the index that have no article. */
  rows: string[];
  random: Random;
}

const MAKE: Readonly<Record<Fault, (base: Draft, count: number) => ExpectedFinding[]>> = {
  "broken-link": ({ pages, random }, count) =>
    times(count, (n) => {
      const page = at(pages, random);
      const target = `concepts/gone-${n}`;
      page.extra.push(
        n % 2 === 0 ? `It was told in [[${target}]].` : `It was told in [[${target}|an old page]].`,
      );
      return { check: "broken-link", article: page.path, target };
    }),
  unlisted: (base, count) =>
    times(count, (n) => {
      if (n % 2 === 1) {
        base.rows.push(`concepts/removed-${n}`);
        return { check: "unlisted", article: `concepts/removed-${n}` };
      }
      const listed = base.pages.filter(({ path }) => !base.rows.includes(`-${path}`));
      const { path } = at(listed, base.random);
      base.rows.push(`-${path}`);
      return { check: "unlisted", article: path };
    }),
  "orphan-page": ({ pages, logs }, count) =>
    times(count, (n) => {
      pages.push({
        ...newPage(`concepts/lonely-${n}`, `Lonely ${n}`, logs[0]?.name ?? ""),
        links: new Set(),
      });
      return { check: "orphan-page", article: `concepts/lonely-${n}` };
    }),
  "orphan-source": ({ logs, record }, count) =>
    times(count, (n) => {
      const name = `2027-02-${String(n + 1).padStart(2, "0")}.md`;
      logs.push({ name, text: logText(name, n) });
      record.delete(name);
      return { check: "orphan-source", article: `daily/${name.slice(0, -3)}` };
    }),
  "stale-article": ({ pages, logs, stale }, count) => {
    // the logs from the end, so that each is cited by few pages
    const found: ExpectedFinding[] = [];
    for (const { name } of logs.filter((log) => !log.name.startsWith("2027")).toReversed()) {
      if (found.length >= count) break;
      const citing = pages.filter((page) => page.log === name);
      if (citing.length === 0) continue;
      stale.add(name);
      found.push(...citing.map(({ path }): ExpectedFinding => ({ check: "stale-article", article: path })));
    }
    return found;
  },
  "missing-backlink": ({ pages, random }, count) =>
    times(count, () => {
      for (;;) {
        const [from, to] = [at(pages, random), at(pages, random)];
        const taken =
          from === to ||
          from.links.has(to.path) ||
          to.links.has(from.path) ||
          to.path.includes("lonely") ||
          from.path.includes("lonely");
        if (taken) continue;
        from.links.add(to.path);
        return { check: "missing-backlink", article: from.path, target: to.path };
      }
    }),
  "sparse-article": ({ pages, random }, count) =>
    times(count, () => {
      const page = at(
        pages.filter(({ short }) => !short),
        random,
      );
      page.short = true;
      return { check: "sparse-article", article: page.path };
    }),
};

function makeLogs(count: number): Log[] {
  return times(count, (n) => {
    const day = new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
    const name = n % 7 === 3 ? `alice/${day}.md` : `${day}.md`; // a team keeps its logs apart
    return { name, text: logText(name, n) };
  });
}

function logText(name: string, n: number): string {
  const day = name.replace(/^.*\/|\.md$/g, "");
  return `# Daily Log: ${day}

## Sessions

### Session (14:30)
<!-- session:s${n} turns:${n} -->
**Context:** work on part ${n}
**Lessons Learned:**
- \`if [[ -n "$PART_${n}" ]]; then\` needs the quotes; see [[concepts/never-written-${n}]].
`;
}

function makePages(count: number, logs: readonly Log[]): Page[] {
  return times(count, (n) => {
    const folder = n % 10 === 7 ? "connections" : n % 25 === 19 ? "qa" : "concepts";
    const noun = NOUNS[n % NOUNS.length] ?? "";
    const title = `${noun[0]?.toUpperCase()}${noun.slice(1)} ${WORDS[Math.floor(n / NOUNS.length) % WORDS.length]} ${n}`;
    const log = logs[n % logs.length]?.name ?? "";
    return newPage(`${folder}/${title.toLowerCase().replaceAll(" ", "-")}`, title, log);
  });
}

function newPage(path: string, title: string, log: string): Page {
  return {
    path,
    title,
    log,
    links: new Set(),
    extra: [],
    short: false,
    updated: log.replace(/^.*\/|\.md$/g, ""),
  };
}

/** A ring, so that no page is an orphan, and some more; always both ways. */
function linkPages(pages: readonly Page[], random: Random): void {
  const join2 = (a: Page, b: Page) => {
    if (a === b) return;
    a.links.add(b.path);
    b.links.add(a.path);
  };
  for (const [n, page] of pages.entries()) {
    join2(page, pages[(n + 1) % pages.length] ?? page);
    if (n % 3 === 0) join2(page, at(pages, random));
  }
}

/** Looks like a fault, or like a link, and is none. */
function decoys(page: Page, pages: readonly Page[], random: Random): string[] {
  const [other] = page.links;
  const bare = (other ?? "").replace(/^.*\//, "");
  const lines = [
    "Obsidian writes `[[concepts/not-a-link]]` for a link.",
    "```sh\nif [[ -f .env ]]; then source .env; fi # [[concepts/in-a-fence]]\n```",
    "~~~\n[[concepts/in-a-tilde-fence]]\n~~~",
    "<!-- [[concepts/in-a-comment]] was here -->",
    'In bash, [[ "$a" == "$b" ]] compares words.',
    "Two backticks hold one: ``[[concepts/in-`-code]]``.",
    `See [[${other}#Details]], [[${other}|the other page]] and [[${other}.md]].`,
    `As a table:\n\n| page | why |\n|---|---|\n| [[${other}\\|other]] | it matters |`,
    `By its bare name: [[${bare}]]; in capitals: [[${(other ?? "").toUpperCase()}]]; from the root: [[knowledge/${other}]].`,
    `The overview is [[index]]; this page is [[${page.path}]]; below: [[#Key Points]].`,
    `Written \\[[like this]] it is no link.`,
  ];
  return times(2 + random(3), () => at(lines, random)).concat(pages.length > 0 ? [] : lines);
}

function render({ pages, logs, record, stale, rows }: Draft): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, text } of logs)
    files.set(`daily/${name}`, stale.has(name) ? `${text}\n### Session (23:10)\n**Context:** later\n` : text);
  for (const [n, page] of pages.entries()) {
    const text = pageText(page);
    files.set(
      `knowledge/${page.path}.md`,
      n % 11 === 5 ? text.replaceAll("\n", "\r\n") : n % 13 === 6 ? `\uFEFF${text}` : text,
    );
  }
  files.set("knowledge/index.md", indexText(pages, rows));
  files.set("knowledge/log.md", "# Knowledge Log\n");
  const compiled = logs
    .filter(({ name }) => record.has(name) && !name.startsWith("2027"))
    .map(({ name, text }) => [name, { hash: sha256(`${text.trimEnd()}\n`), parts: [] }]);
  const articles = Object.fromEntries(
    pages.map(({ path }) => [
      path,
      { hash: sha256(files.get(`knowledge/${path}.md`) ?? ""), edited: false, linked: 0 },
    ]),
  );
  files.set(
    "knowledge/.compiled.json",
    JSON.stringify({
      version: 1,
      compiledAt: "2026-12-01T00:00:00.000Z",
      logs: Object.fromEntries(compiled),
      articles,
    }),
  );
  return files;
}

function pageText(page: Page): string {
  const fields = page.path.startsWith("qa/")
    ? [
        'title: "%"',
        'question: "What is %?"',
        `consulted:\n${[...page.links]
          .slice(0, 2)
          .map((link) => `  - ${link}`)
          .join("\n")}`,
        `filed: ${page.updated}`,
      ]
    : page.path.startsWith("connections/")
      ? [
          'title: "%"',
          `connects:\n${[...page.links]
            .slice(0, 2)
            .map((link) => `  - "[[${link}]]"`)
            .join("\n")}`,
          `sources: ["daily/${page.log}"]`,
          `created: ${page.updated}`,
          `updated: ${page.updated}`,
        ]
      : [
          "title: %",
          "aliases: []",
          "tags: [generated]",
          `sources:\n  - daily/${page.log}`,
          `created: ${page.updated}`,
          `updated: ${page.updated}`,
        ];
  const words = page.short ? 20 : 210;
  const prose = times(words, (n) => WORDS[(n * 7 + page.title.length) % WORDS.length]).join(" ");
  // a sparse page has nothing else to it
  const extra = page.short ? page.extra.filter((line) => line.includes("gone-")) : page.extra;
  return `---
${fields.join("\n").replaceAll("%", page.title)}
---

# ${page.title}

${prose}.

## Key Points

- ${page.title} is one thing.

## Details

${extra.join("\n\n")}

## Related Concepts

${[...page.links].map((link) => `- [[${link}]]`).join("\n")}

## Sources

- [[daily/${page.log}]] - where it was told
`;
}

/** As people leave it: not in order, with a note of their own above and below. */
function indexText(pages: readonly Page[], rows: readonly string[]): string {
  const hidden = new Set(rows.filter((row) => row.startsWith("-")).map((row) => row.slice(1)));
  const shown = pages.filter(({ path }) => !hidden.has(path)).toReversed();
  const lines = [
    ...shown.map(
      ({ path, title, log, updated }) =>
        `| [[${path}]] | ${title}: what it is, how it works \\| why it matters to the service, and where it shows | daily/${log} | ${updated} |`,
    ),
    ...rows
      .filter((row) => !row.startsWith("-"))
      .map((row) => `| [[${row}]] | A page that is gone | daily/2026-01-01.md | 2026-01-01 |`),
  ];
  return `# Knowledge Base Index

Start with the pages on deployment.

| Article | Summary | Compiled From | Updated |
|---|---|---|---|
${lines.join("\n")}

Anything missing? Tell the team.
`;
}

const NOUNS = [
  "retry policy",
  "cache key",
  "login flow",
  "queue worker",
  "deploy script",
  "rate limit",
  "feature flag",
  "search index",
  "audit trail",
  "mail stub",
];
const WORDS =
  "the service keeps each request id so that a later step can find what an earlier one did and nobody has to guess why it waits for a lock when the worker starts before its health check answers on port".split(
    " ",
  );

function at<Value>(values: readonly Value[], random: Random): Value {
  return values[random(values.length)] as Value;
}

function times<Value>(count: number, make: (n: number) => Value): Value[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
