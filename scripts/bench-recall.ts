import { parseArgs } from "node:util";
import { z } from "zod";
import { renderBlock } from "../src/block/block.ts";
import { nearDuplicates } from "../src/digest/duplicates.ts";
import { fold } from "../src/digest/fold.ts";
import { type Item, digestUnits } from "../src/digest/item.ts";
import type { Observation } from "../src/digest/observation.ts";
import { rank } from "../src/digest/rank.ts";
import { extractive } from "../src/merge/extractive.ts";

/**
 * How much of the evidence behind a set of questions survives in one block.
 *
 *   bun scripts/bench-recall.ts FILE [--budget 9500]
 *
 * FILE: JSON, a list of { sample, observations: [{ date, text, evidence: [id] }], questions: [{ evidence: [id] }] }.
 * Each sample is folded as one cell, batch by batch, and rendered. A piece of evidence survives when one line
 * holds at least 60 % of the words (weighted by idf) of an observation that carries it; a question counts when
 * all of its evidence survives.
 */
const ROWS_A_BATCH = 40;
const HOLDS = 0.6;

const samples = z.array(
  z.object({
    sample: z.string(),
    observations: z.array(
      z.object({ date: z.iso.datetime(), text: z.string(), evidence: z.array(z.string()) }),
    ),
    questions: z.array(z.object({ evidence: z.array(z.string()) })),
  }),
);
type Sample = z.infer<typeof samples>[number];

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { budget: { type: "string", default: "9500" } },
  });
  const [file] = positionals;
  if (file === undefined) throw new Error("usage: bun scripts/bench-recall.ts FILE [--budget UNITS]");
  const budget = Number(values.budget);
  const rows: string[] = [];
  let counted = 0;
  let asked = 0;
  for (const sample of samples.parse(await Bun.file(file).json())) {
    const lines = (await buildBlock(sample, budget)).split("\n");
    const hits = countQuestions(sample, lines);
    counted += hits;
    asked += sample.questions.length;
    rows.push(
      `${sample.sample}\t${sample.questions.length}\t${(hits / sample.questions.length).toFixed(3)}\t${lines.join("\n").length}\t${lines.length}`,
    );
  }
  console.log(["sample\tquestions\trecall\tunits\tlines", ...rows].join("\n"));
  console.log(`all\t${asked}\t${(counted / asked).toFixed(3)}`);
}

async function buildBlock(sample: Sample, budget: number): Promise<string> {
  const observations = sample.observations.map((row, at): Observation => ({
    id: at + 1,
    project: sample.sample,
    type: "discovery",
    concepts: ["pattern"],
    title: row.text,
    subtitle: "",
    narrative: "",
    facts: [],
    text: "",
    epoch: Date.parse(row.date),
  }));
  let items: readonly Item[] = [];
  let nextItemId = 1;
  const now = Math.max(...observations.map(({ epoch }) => epoch));
  for (let at = 0; at < observations.length; at += ROWS_A_BATCH) {
    const batch = observations
      .slice(at, at + ROWS_A_BATCH)
      .toSorted((a, b) => a.epoch - b.epoch || a.id - b.id);
    const twins = nearDuplicates(batch);
    const request = {
      project: sample.sample,
      type: "pattern",
      items,
      budgetUnits: budget,
      now,
      observations: batch.filter(({ id }) => !twins.has(id)),
    };
    const folded = await fold(
      request,
      { merge: extractive, fallback: extractive, nextItemId },
      new AbortController().signal,
    );
    if (folded.kind !== "folded") throw new Error(JSON.stringify(folded));
    ({ items, nextItemId } = folded);
  }
  return render(sample, items, { budget, now });
}

function render(
  sample: Sample,
  items: readonly Item[],
  { budget, now }: { budget: number; now: number },
): string {
  const peeked = items
    .map((item) => ({
      ...item,
      sources: item.sources.toReversed(),
      sourceCount: item.sources.length,
      rank: rank(item),
    }))
    .toSorted((a, b) => b.rank - a.rank);
  const cell = {
    digestId: 1,
    type: "pattern",
    revision: 1,
    updatedAt: now,
    behind: 0,
    count: items.length,
    items: peeked,
    watermark: { id: sample.observations.length, epoch: now },
    units: digestUnits(items),
  };
  const project = {
    name: sample.sample,
    observations: sample.observations.length,
    behind: 0,
    cells: [cell],
    rawTokens: 1_000_000,
    recent50Tokens: 0,
    recent50Rows: 0,
  };
  return renderBlock({ names: [sample.sample], projects: [project] }, budget).text;
}

function countQuestions(sample: Sample, lines: readonly string[]): number {
  const inLines = lines.map((line) => new Set(wordsOf(line)));
  const found = new Map<string, number>();
  const rows = sample.observations.map((row) => ({ ...row, words: new Set(wordsOf(row.text)) }));
  for (const { words } of rows) for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  const idf = (word: string) => Math.log(rows.length / (found.get(word) ?? rows.length));
  const weigh = (words: Iterable<string>) => [...words].reduce((sum, word) => sum + idf(word), 0);
  const survives = new Set(
    rows
      .filter(({ words }) =>
        inLines.some((line) => weigh([...words].filter((word) => line.has(word))) >= HOLDS * weigh(words)),
      )
      .flatMap(({ evidence }) => evidence),
  );
  return sample.questions.filter(({ evidence }) => evidence.every((id) => survives.has(id))).length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9']+/g) ?? [];
}
