import { z } from "zod";
import type { Reading } from "./answer.ts";
import { findObject } from "./answer.ts";
import { type Article, countWords, folderOf, isArticlePath } from "./article.ts";
import { linkTarget, wikilinks } from "./links.ts";

/** What a model wants a page to become. */
export interface Proposal {
  path: string;
  action: "create" | "update";
  title: string;
  aliases: readonly string[];
  tags: readonly string[];
  connects: readonly string[];
  summary: string;
  /** From the title on, without front matter. */
  body: string;
  /** Why an update says much less than the page did; empty where it does not. */
  shrinks: string;
}

/** What a proposal is measured against. */
export interface BaseView {
  articles: ReadonlyMap<string, Article>;
  /** Logs that exist, relative to `daily/`. */
  logs: ReadonlySet<string>;
  /** Paths of the articles that the model was given in full. */
  given: ReadonlySet<string>;
  /** Paths of those that a person edited. */
  edited: ReadonlySet<string>;
  /** The log being compiled, relative to `daily/`. */
  log: string;
}

const text = z.string().transform((words) => words.replaceAll(/\s+/g, " ").trim());
const texts = z.array(text).max(20).default([]);

const Answer = z.object({
  articles: z
    .array(
      z.object({
        path: z.string().transform((path) => linkTarget(path)),
        action: z.enum(["create", "update"]),
        title: text.pipe(z.string().min(1).max(160)),
        aliases: texts,
        tags: texts,
        connects: z
          .array(z.string().transform((path) => linkTarget(path.replace(/^\[\[(.*)\]\]$/, "$1"))))
          .default([]),
        summary: text.pipe(z.string().min(1).max(300)),
        body: z.string(),
        shrinks: text.default(""),
      }),
    )
    .max(40),
  nothing: text.default(""),
});

/** Under this much of its words a page has shrunk. */
const SHRUNK = 0.75;
/** So few words are no page, whatever the reason. */
const LEAST_WORDS = 15;

/** Reads a compile's answer and holds it against the base: all of it can be written, or none. */
export function readProposals(answer: string, base: BaseView): Reading<readonly Proposal[]> {
  const object = findObject(answer);
  if (object === null)
    return { kind: "unreadable", findings: ['the answer is not one JSON object with "articles"'] };
  const parsed = Answer.safeParse(object);
  if (!parsed.success) {
    const findings = parsed.error.issues.map((issue) => `"${issue.path.join(".")}": ${issue.message}`);
    return { kind: "unreadable", findings };
  }
  const { articles: proposals, nothing } = parsed.data;
  if (proposals.length === 0 && nothing === "") {
    return { kind: "rejected", findings: ['there are no articles; if that is right, say why in "nothing"'] };
  }
  const findings = [
    ...repeated(proposals),
    ...proposals.flatMap((proposal) =>
      check(proposal, proposals, base).map((what) => `${proposal.path}: ${what}`),
    ),
  ];
  return findings.length > 0 ? { kind: "rejected", findings } : { kind: "read", value: proposals };
}

function repeated(proposals: readonly Proposal[]): string[] {
  const paths = proposals.map(({ path }) => path);
  return [...new Set(paths.filter((path, n) => paths.indexOf(path) !== n))].map(
    (path) => `${path} stands there twice`,
  );
}

function check(proposal: Proposal, batch: readonly Proposal[], base: BaseView): string[] {
  const { path } = proposal;
  if (!isArticlePath(path) || folderOf(path) === "qa")
    return ['"path" must be concepts/ or connections/ and a slug like some-words'];
  return [...checkAction(proposal, base), ...checkBody(proposal, base), ...checkLinks(proposal, batch, base)];
}

function checkAction({ path, action, title, aliases }: Proposal, base: BaseView): string[] {
  const existing = base.articles.get(path);
  if (action === "update") {
    if (existing === undefined) return ['there is no such page to update; is it "create"?'];
    return base.given.has(path) ? [] : ["you were not given this page in full, so it is none to update"];
  }
  if (existing !== undefined) return ["there is such a page already; choose another slug or update it"];
  const names = new Set([title, ...aliases].map(nameKey));
  const twin = [...base.articles.values()].find(
    (article) =>
      folderOf(article.path) === folderOf(path) &&
      (names.has(nameKey(article.front.title)) || slugKey(article.path) === slugKey(path)),
  );
  return twin === undefined
    ? []
    : [`${twin.path} is about the same; update it or make clear in title and slug what differs`];
}

function checkBody({ path, action, body, shrinks }: Proposal, base: BaseView): string[] {
  const words = countWords(body);
  const edited = base.edited.has(path);
  const old = action === "update" && !edited ? base.articles.get(path) : undefined;
  if (words < LEAST_WORDS && !edited) return [`the body has ${words} words; that is no page`];
  if (/^\uFEFF?---\s*$/m.test(body.split("\n", 1)[0] ?? "")) return ["the body must not have front matter"];
  const findings: string[] = [];
  if (!wikilinks(body).includes(`daily/${base.log.replace(/\.md$/, "")}`))
    findings.push(`the body does not cite [[daily/${base.log}]]`);
  if (old === undefined) return findings;
  if (words < SHRUNK * countWords(old.body) && shrinks === "") {
    findings.push(
      `the page would shrink from ${countWords(old.body)} to ${words} words without "shrinks" saying why`,
    );
  }
  const cited = new Set(wikilinks(body));
  const lost = [...new Set(old.links)].filter(
    (link) => link.startsWith("daily/") && base.logs.has(`${link.slice(6)}.md`) && !cited.has(link),
  );
  return [...findings, ...lost.map((link) => `the page no longer cites [[${link}.md]]`)];
}

function checkLinks(
  { path, body, connects }: Proposal,
  batch: readonly Proposal[],
  base: BaseView,
): string[] {
  const exists = (link: string) =>
    link.startsWith("daily/")
      ? base.logs.has(`${link.slice(6)}.md`)
      : base.articles.has(link) || batch.some((other) => other.path === link);
  const findings = [...new Set([...wikilinks(body), ...connects])]
    .filter((link) => !exists(link))
    .map((link) => `[[${link}]] leads nowhere`);
  const joined = new Set(connects.filter((link) => link !== path));
  return folderOf(path) === "connections" && joined.size < 2
    ? [...findings, '"connects" must name two articles or more']
    : findings;
}

function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** The same words in another order or number make no other slug. */
function slugKey(path: string): string {
  const words = path
    .slice(path.indexOf("/") + 1)
    .split("-")
    .map((word) => word.replace(/(?<=\w{3})s$/, ""));
  return words.toSorted().join("-");
}
