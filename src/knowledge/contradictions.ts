import { z } from "zod";
import type { Model } from "../model/model.ts";
import { type Asked, type Reading, ask, findObject } from "./answer.ts";
import type { Article } from "./article.ts";
import { type LintFinding, finding } from "./lint.ts";
import { contradictionsPrompt } from "./prompts/contradictions.ts";

/** What one call reads, in UTF-16 units. */
const CONTRADICTION_UNITS = 60_000;

export interface ContradictionReport {
  findings: readonly LintFinding[];
  /** Why not all of the base was looked at. */
  stopped: Exclude<Asked<unknown>, { kind: "answered" }> | null;
}

/**
 * Asks a model for conflicting claims, articles that link each other in one call. Only what it can quote from the
 * articles counts.
 */
export async function findContradictions(
  articles: readonly Article[],
  model: Model,
  signal: AbortSignal,
): Promise<ContradictionReport> {
  const findings: LintFinding[] = [];
  for (const group of contradictionGroups(articles)) {
    signal.throwIfAborted();
    const asked = await ask(
      model,
      contradictionsPrompt(group),
      (answer) => readContradictions(answer, group),
      signal,
    );
    if (asked.kind !== "answered") return { findings, stopped: asked };
    findings.push(...asked.value);
  }
  return { findings, stopped: null };
}

/** Neighbours stand together, as many as one call reads. */
function contradictionGroups(articles: readonly Article[]): Article[][] {
  const groups: Article[][] = [];
  let left = 0;
  for (const article of byNeighbourhood(articles)) {
    if (article.text.length > left) {
      groups.push([]);
      left = CONTRADICTION_UNITS;
    }
    groups.at(-1)?.push(article);
    left -= article.text.length;
  }
  return groups;
}

function byNeighbourhood(articles: readonly Article[]): Article[] {
  const byPath = new Map(articles.map((article) => [article.path, article]));
  const ordered = new Set<Article>();
  for (const start of articles) {
    const waiting = [start];
    for (let article = waiting.shift(); article !== undefined; article = waiting.shift()) {
      if (ordered.has(article)) continue;
      ordered.add(article);
      waiting.push(...article.links.flatMap((link) => byPath.get(link) ?? []));
    }
  }
  return [...ordered];
}

const Quote = z.object({ path: z.string(), quote: z.string() });
const Answer = z.object({
  contradictions: z.array(z.object({ first: Quote, second: Quote, why: z.string() })),
});

function readContradictions(answer: string, group: readonly Article[]): Reading<LintFinding[]> {
  const parsed = Answer.safeParse(findObject(answer));
  if (!parsed.success) return { kind: "unreadable", findings: ['the answer is not {"contradictions":[…]}'] };
  const texts = new Map(group.map(({ path, text }) => [path, flat(text)]));
  const quoted = ({ path, quote }: z.output<typeof Quote>) => {
    const words = flat(quote);
    return words !== "" && texts.get(path)?.includes(words) === true;
  };
  const value = parsed.data.contradictions
    .filter(({ first, second }) => quoted(first) && quoted(second))
    .map(({ first, second, why }) =>
      finding(
        "contradiction",
        first.path,
        `“${flat(first.quote)}” against “${flat(second.quote)}” in [[${second.path}]]: ${flat(why)}`,
        second.path,
      ),
    );
  return { kind: "read", value };
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
