import { makeModelHistory } from "../seed/model-history.ts";
import { SETTINGS } from "../src/config.ts";
import { cellTypes } from "../src/digest/cell.ts";
import { drainCell } from "../src/digest/drain.ts";
import { titleKey } from "../src/digest/duplicates.ts";
import { fold } from "../src/digest/fold.ts";
import { gate } from "../src/digest/gate.ts";
import type { Item } from "../src/digest/item.ts";
import type { Observation } from "../src/digest/observation.ts";
import { extractive } from "../src/merge/extractive.ts";
import type { MergeRequest, Operation } from "../src/merge/merge.ts";
import { modelMerge } from "../src/merge/model.ts";
import { type Model, NO_USAGE, type Usage, addUsage } from "../src/model/model.ts";
import { ensureDigest } from "../src/store/digests.ts";
import { openStore } from "../src/store/open.ts";
import { ensureProject } from "../src/store/projects.ts";
import { startRun } from "../src/store/runs.ts";
import { estimateTokens, roughTokens } from "../src/text/tokens.ts";

/**
 * What a model's merges of one project take, beside a model that gets each batch with the whole digest and writes the
 * digest again.
 *
 *   bun scripts/bench-tokens.ts [--rows 1640]
 *
 * No model is asked: a scripted one answers the real prompts, and its words are counted. Prints a Markdown table.
 */
const ROWS_A_BATCH = 40;
const CELL_BUDGET = 2400;
const NEVER = new AbortController().signal;
const REWRITE = `You maintain a digest of a software project for a coding agent. Below are the current digest and new notes. Merge them:
newer notes win, keep identifiers, paths, numbers and doubts exactly, leave out what is not worth keeping.
The digest must not be longer than ${CELL_BUDGET} characters. Answer with the whole new digest, one fact a line.`;

export type Assign = "all" | "primary";

export interface TokenFigures {
  naive: Usage;
  ours: Usage;
}

if (import.meta.main) await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  const at = argv.indexOf("--rows");
  const rows = makeModelHistory(at < 0 ? 1640 : Number(argv[at + 1]));
  const all = await countTokens(rows, "all");
  const primary = await countTokens(rows, "primary");
  console.log("| merge | calls | input tokens | output tokens |\n|---|---:|---:|---:|");
  printUsage("whole digest rewritten, `--assign all`", all.naive);
  printUsage("whole digest rewritten, `--assign primary`", primary.naive);
  printUsage("operations, `--assign all`", all.ours);
  printUsage("operations, `--assign primary` (the default)", primary.ours);
  printRatio("the default ÷ rewritten, `all`", primary.ours, all.naive);
  printRatio("`primary` ÷ `primary`", primary.ours, primary.naive);
  printRatio("`all` ÷ `all`", all.ours, all.naive);
}

/** Both ways over the same cells, with the same budget. */
export async function countTokens(rows: readonly Observation[], assign: Assign): Promise<TokenFigures> {
  const cells = new Map<string, Observation[]>();
  for (const row of rows) {
    for (const type of cellTypes(row, SETTINGS.CONCEPTS.fallback, assign))
      cells.set(type, [...(cells.get(type) ?? []), row]);
  }
  const figures: TokenFigures = { naive: NO_USAGE, ours: NO_USAGE };
  for (const [type, own] of cells) {
    figures.naive = addUsage(figures.naive, await rewriteCell(type, own));
    figures.ours = addUsage(figures.ours, await drainOurs(type, own));
  }
  return figures;
}

/** The baseline: short rules, the whole digest and the batch in, the whole digest out. */
async function rewriteCell(type: string, rows: readonly Observation[]): Promise<Usage> {
  let items: readonly Item[] = [];
  let nextItemId = 1;
  let usage = NO_USAGE;
  for (let at = 0; at < rows.length; at += ROWS_A_BATCH) {
    const observations = rows.slice(at, at + ROWS_A_BATCH);
    const before = digestText(items);
    const request = {
      project: "widgets-api",
      type,
      items,
      observations,
      budgetUnits: CELL_BUDGET,
      now: nowOf(rows),
    };
    const folded = await fold(request, { merge: extractive, fallback: extractive, nextItemId }, NEVER);
    if (folded.kind !== "folded") throw new Error(JSON.stringify(folded));
    ({ items, nextItemId } = folded);
    const prompt = [REWRITE, "Digest:", before, "Notes:", ...observations.map(wholeRow)].join("\n");
    usage = addUsage(usage, counted(prompt, digestText(items)));
  }
  return usage;
}

function digestText(items: readonly Item[]): string {
  return items.map(({ text }) => text).join("\n");
}

function wholeRow({ title, narrative, facts }: Observation): string {
  return [title, narrative, ...facts].join("\n");
}

function nowOf(rows: readonly Observation[]): number {
  return Math.max(...rows.map(({ epoch }) => epoch));
}

/** Prompt, merge, gate and store as a build has them. */
async function drainOurs(type: string, rows: readonly Observation[]): Promise<Usage> {
  const store = openStore(":memory:");
  let usage = NO_USAGE;
  const ask = (request: MergeRequest): Model => {
    const model = scripted(request);
    return async (prompt, signal) => {
      const outcome = await model(prompt, signal);
      usage = addUsage(usage, outcome.usage);
      return outcome;
    };
  };
  const byId = new Map(rows.map((row) => [row.id, row]));
  const now = nowOf(rows);
  const planned = rows.map((row) => ({
    id: row.id,
    fingerprint: row.id,
    titleKey: titleKey(row.project, row.title),
    units: wholeRow(row).length,
    tokens: roughTokens(wholeRow(row)),
    sourceRevision: null,
  }));
  try {
    const digestId = store.write(() => ensureDigest(store, ensureProject(store, "widgets-api"), type));
    const drained = await drainCell(
      digestId,
      { project: "widgets-api", type, rows: planned, duplicates: [] },
      {
        store,
        read: async (ids) => ids.flatMap((id) => byId.get(id) ?? []),
        merge: modelMerge({
          ask,
          check: (request, operations) =>
            gate(request, operations).map(({ code, message }) => `${code}: ${message}`),
        }),
        fallback: extractive,
        mergeName: "scripted",
        cellBudget: CELL_BUDGET,
        maxRows: ROWS_A_BATCH,
        limitBatches: Number.POSITIVE_INFINITY,
        runId: startRun(store, { command: "build", model: "scripted", at: now }),
        now,
        signal: NEVER,
        onProgress: () => {},
      },
    );
    if (drained.kind !== "drained") throw new Error(JSON.stringify(drained));
    return usage;
  } finally {
    store.close();
  }
}

/** Answers with what the extractive merge would do, in the words of the prompt. */
function scripted(request: MergeRequest): Model {
  return async ({ system, user }, signal) => {
    const outcome = await extractive(request, signal);
    if (outcome.kind !== "merged") throw new Error(JSON.stringify(outcome));
    const text = answer(request, outcome.operations);
    return { kind: "answered", text, usage: counted(`${system}\n${user}`, text), model: "scripted" };
  };
}

function answer({ observations }: MergeRequest, operations: readonly Operation[]): string {
  const ops = operations.flatMap(toAnswer);
  const cited = new Set(ops.flatMap((op) => op.from ?? []));
  const others = observations.map(({ id }) => id).filter((id) => !cited.has(id));
  const skips = others.length === 0 ? [] : [{ skip: others, why: "less useful than what the digest has" }];
  return JSON.stringify({ ops: [...ops, ...skips] });
}

function toAnswer(operation: Operation): { from?: readonly number[] | undefined; [key: string]: unknown }[] {
  switch (operation.kind) {
    case "add":
      return [{ add: operation.text, from: operation.from }];
    case "rewrite":
      return [{ rewrite: operation.items, text: operation.text, from: operation.from }];
    case "confirm":
      return [{ confirm: operation.item, from: operation.from }];
    case "drop":
      return [{ drop: operation.item, from: operation.from, why: operation.reason }];
    default:
      return [];
  }
}

function counted(prompt: string, answered: string): Usage {
  return {
    calls: 1,
    inputTokens: estimateTokens(prompt),
    outputTokens: estimateTokens(answered),
    costUsd: 0,
  };
}

function printUsage(what: string, { calls, inputTokens, outputTokens }: Usage): void {
  const number = (value: number) => value.toLocaleString("en-US");
  console.log(`| ${what} | ${number(calls)} | ${number(inputTokens)} | ${number(outputTokens)} |`);
}

function printRatio(what: string, ours: Usage, naive: Usage): void {
  const ratio = (key: "calls" | "inputTokens" | "outputTokens") => (ours[key] / naive[key]).toFixed(2);
  console.log(`| ${what} | ${ratio("calls")} | ${ratio("inputTokens")} | ${ratio("outputTokens")} |`);
}
