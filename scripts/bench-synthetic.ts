import { parseArgs } from "node:util";
import { type SyntheticFact, makeHistory } from "../seed/benchmark.ts";
import { nearDuplicates } from "../src/digest/duplicates.ts";
import { fold } from "../src/digest/fold.ts";
import type { Item } from "../src/digest/item.ts";
import type { Observation } from "../src/digest/observation.ts";
import { extractive } from "../src/merge/extractive.ts";
import type { Merge } from "../src/merge/merge.ts";
import { mock } from "../src/merge/mock.ts";

/**
 * What merges without a model keep of a made-up history, after so many merges.
 *
 *   bun scripts/bench-synthetic.ts [--seeds 5] [--budget 2400]
 *
 * Facts in force: share of the facts told so far and not replaced that one line still tells. Stale facts: share of
 * the replaced ones that no line tells as if they were in force. Prints a Markdown table.
 */
const ROWS_A_BATCH = 40;
const MERGES = [1, 5, 20, 50];
const SUBJECTS = 60;

interface Score {
  told: number;
  inForce: number;
  suppressed: number;
  replaced: number;
  units: number;
}

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { seeds: { type: "string", default: "5" }, budget: { type: "string", default: "2400" } },
  });
  const seeds = Number(values.seeds);
  const budget = Number(values.budget);
  console.log(
    `| merges | kept by | facts in force | stale facts left out | units |\n|---:|---|---:|---:|---:|`,
  );
  const table = new Map<string, Score>();
  for (let seed = 1; seed <= seeds; seed++) {
    const history = makeHistory({ seed, rows: Math.max(...MERGES) * ROWS_A_BATCH, subjects: SUBJECTS });
    for (const [name, merge] of [
      ["mock", mock],
      ["extractive", extractive],
    ] as const) {
      for await (const { merges, items } of digests(history.observations, merge, budget)) {
        addTo(
          table,
          `${merges}\t${name}`,
          score(
            items.map(({ text }) => text),
            history.facts,
            merges * ROWS_A_BATCH,
          ),
        );
      }
    }
    for (const merges of MERGES) {
      const newest = history.observations.slice(0, merges * ROWS_A_BATCH).slice(-50);
      addTo(
        table,
        `${merges}\t50 newest rows`,
        score(
          newest.map(({ title, narrative }) => `${title} ${narrative}`),
          history.facts,
          merges * ROWS_A_BATCH,
        ),
      );
    }
  }
  for (const [key, { told, inForce, suppressed, replaced, units }] of [...table].toSorted(byMerges)) {
    const [merges, name] = key.split("\t");
    const stale = replaced === 0 ? "–" : percent(suppressed / replaced);
    console.log(
      `| ${merges} | ${name} | ${percent(told / inForce)} | ${stale} | ${Math.round(units / seeds).toLocaleString("en-US")} |`,
    );
  }
}

function byMerges([a]: [string, Score], [b]: [string, Score]): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

async function* digests(
  observations: readonly Observation[],
  merge: Merge,
  budgetUnits: number,
): AsyncGenerator<{ merges: number; items: readonly Item[] }> {
  let items: readonly Item[] = [];
  let nextItemId = 1;
  for (let merges = 1; merges <= Math.max(...MERGES); merges++) {
    const batch = observations.slice((merges - 1) * ROWS_A_BATCH, merges * ROWS_A_BATCH);
    const twins = nearDuplicates(batch);
    const rows = batch.filter(({ id }) => !twins.has(id));
    const request = {
      project: "synthetic",
      type: "how-it-works",
      items,
      observations: rows,
      budgetUnits,
      now: batch.at(-1)?.epoch ?? 0,
    };
    const folded = await fold(request, { merge, fallback: merge, nextItemId }, new AbortController().signal);
    if (folded.kind !== "folded") throw new Error(JSON.stringify(folded));
    ({ items, nextItemId } = folded);
    if (MERGES.includes(merges)) yield { merges, items };
  }
}

function score(lines: readonly string[], facts: readonly SyntheticFact[], lastId: number): Score {
  const told = facts.filter(({ from }) => from <= lastId);
  const inForce = told.filter(({ until }) => until === null || until > lastId);
  const replaced = told.filter(({ until }) => until !== null && until <= lastId);
  return {
    told: inForce.filter((fact) => lines.some((line) => tells(line, fact))).length,
    inForce: inForce.length,
    suppressed: replaced.filter(
      (fact) => !lines.some((line) => tells(line, fact) && !tellsNewer(line, fact, told)),
    ).length,
    replaced: replaced.length,
    units: lines.reduce((sum, line) => sum + line.length + 1, 0),
  };
}

function tells(line: string, { subject, value }: SyntheticFact): boolean {
  const has = (word: string) => new RegExp(`(?<![\\w.])${RegExp.escape(word)}(?!\\w)`, "i").test(line);
  return [...subject, ...(value === "nothing" ? [] : [value])].every(has);
}

/** `from 80 to 90` names the old value, but does not tell it as one in force. */
function tellsNewer(line: string, fact: SyntheticFact, facts: readonly SyntheticFact[]): boolean {
  return facts.some(
    (other) =>
      other !== fact &&
      other.from > fact.from &&
      other.subject.join() === fact.subject.join() &&
      tells(line, other),
  );
}

function addTo(table: Map<string, Score>, key: string, more: Score): void {
  const sum = table.get(key) ?? { told: 0, inForce: 0, suppressed: 0, replaced: 0, units: 0 };
  table.set(key, {
    told: sum.told + more.told,
    inForce: sum.inForce + more.inForce,
    suppressed: sum.suppressed + more.suppressed,
    replaced: sum.replaced + more.replaced,
    units: sum.units + more.units,
  });
}
