import { existsSync } from "node:fs";
import { z } from "zod";
import { refreshAnswers } from "../claude/answers.ts";
import type { Config } from "../config.ts";
import { type BuildResult, type Plan, type PlanOptions, build, planBuild } from "../digest/build.ts";
import type { CellEstimate } from "../digest/estimate.ts";
import { firstBatches } from "../digest/plan.ts";
import { Exit, type ExitCode, UserError, usageError } from "../errors.ts";
import { extractive } from "../merge/extractive.ts";
import { followAliases } from "../source/projects.ts";
import { readAliases } from "../store/aliases.ts";
import { openStore } from "../store/open.ts";
import { cleanProject } from "../text/clean.ts";
import type { Run } from "./command.ts";
import { chooseMerge } from "./merges.ts";
import { openConfiguredSource, openConfiguredStore } from "./opening.ts";
import { checkOptions } from "./options.ts";
import type { Output } from "./output.ts";
import { createProgress } from "./progress.ts";
import { type Work, costOf, estimated, reportBuild, reportPlan, rowsOf, totalOf } from "./build-report.ts";

const Options = z.object({
  type: z.string().optional(),
  model: z.string().optional(),
  assign: z.enum(["primary", "all"]).optional(),
  limitBatches: z.coerce.number().int().min(1).optional(),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
  rescan: z.boolean().default(false),
  acceptDeletions: z.boolean().default(false),
  adoptSource: z.boolean().default(false),
  useApiKey: z.boolean().default(false),
});

export type BuildFlags = z.output<typeof Options>;

/** US dollars at list price over which a build asks first. */
const ASK_OVER_USD = 0.5;

export const run: Run = async ({ args, options }, { config, output, signal }) => {
  const flags = checkOptions(Options, options);
  const projects = z.array(z.string()).parse(args[0] ?? []);
  return buildCommand({ config, output, signal, projects, flags });
};

export interface BuildCommand {
  config: Config;
  output: Output;
  signal: AbortSignal;
  projects: readonly string[];
  flags: BuildFlags;
}

/** Flags to a build to output; also what the demo runs. */
export async function buildCommand(command: BuildCommand): Promise<ExitCode> {
  const { output, projects, flags } = command;
  const config = flags.assign === undefined ? command.config : { ...command.config, ASSIGN: flags.assign };
  const merge = chooseMerge(flags.model ?? config.MERGE_MODEL, config, {
    useApiKey: flags.useApiKey,
    warn: output.warn,
  });
  const isToBeMade = flags.dryRun && !existsSync(config.DIGEST_DB);
  const store = isToBeMade ? openStore(IN_MEMORY) : openConfiguredStore(config);
  try {
    const aliases = readAliases(store);
    const opened = openConfiguredSource(config, aliases, output.warn);
    try {
      const work: Work = { ...command, config, merge, store, opened };
      const effective = projects.map((name) => followAliases(cleanProject(name), aliases));
      const plan = planOptions(work, effective, flags);
      if (flags.dryRun) return reportPlan(asked(await planBuild(plan), work), work);
      const result = await runBuild(plan, work);
      // so that this build waits for the next session's block and not the session
      if (result.kind === "built") await refreshAnswers(config.paths.state, config.DIGEST_DB, config.env);
      return reportBuild(result, work);
    } finally {
      opened.source.close();
    }
  } finally {
    store.close();
  }
}

function planOptions(
  { config, store, opened, signal }: Work,
  projects: readonly string[],
  flags: BuildFlags,
): PlanOptions & { now: number } {
  const now = Date.now();
  return {
    source: opened.source,
    store,
    reading: {
      rows: opened.rows,
      concepts: config.CONCEPTS,
      assign: config.ASSIGN,
      signal,
      // a wrong clock's row from the future would never be old enough
      isUnsettled: (epoch) => epoch <= now && epoch > now - config.SETTLE_MINUTES * 60_000,
    },
    policy: opened.policy,
    rescan: flags.rescan,
    acceptDeletions: flags.acceptDeletions,
    adoptSource: flags.adoptSource,
    projects,
    type: flags.type ?? null,
    now,
  };
}

async function runBuild(plan: PlanOptions & { now: number }, work: Work): Promise<BuildResult> {
  const { config, merge, store, opened, output, signal, flags } = work;
  const progress = createProgress(output.interactive && !output.json, "rows");
  try {
    return await build({
      ...plan,
      stateFolder: config.paths.state,
      merge: (runId) => merge.open(store, runId),
      fold: {
        read: opened.read,
        fallback: extractive,
        mergeName: merge.choice.word,
        cellBudget: config.CELL_BUDGET,
        maxRows: config.MAX_NEW_PER_RUN,
        limitBatches: flags.limitBatches ?? Number.POSITIVE_INFINITY,
      },
      concurrency: config.MERGE_CONCURRENCY,
      signal,
      onPlan: async (whole) => {
        const planned = asked(whole, work);
        await agreeToCost(estimated(planned, work), work);
        progress.start(rowsOf(planned));
      },
      onProgress: progress.update,
    });
  } finally {
    progress.stop();
  }
}

/** The part of a plan that `--limit-batches` leaves. */
function asked(plan: Plan, { config, flags }: Work): Plan {
  const limit = flags.limitBatches ?? Number.POSITIVE_INFINITY;
  return { ...plan, cells: plan.cells.map((cell) => firstBatches(cell, config.MAX_NEW_PER_RUN, limit)) };
}

/** Nobody pays by surprise: says who would, and over the threshold asks, where somebody can answer. */
async function agreeToCost(cells: readonly CellEstimate[], { merge, output, flags }: Work): Promise<void> {
  if (merge.payer === null) return;
  const sum = totalOf(cells);
  const cost = costOf(sum, merge);
  output.note(`${merge.payer}; up to ${sum.calls} calls, ${cost}`);
  if (flags.yes || merge.isFree || (sum.costUsd !== null && sum.costUsd < ASK_OVER_USD)) return;
  if (!output.interactive || output.json) {
    throw usageError(
      "needs-yes",
      `this build may make ${sum.calls} calls (${cost})`,
      "answer with --yes; --dry-run shows the plan; MAX_CALLS_PER_RUN caps it",
    );
  }
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({
    message: `Make up to ${sum.calls} calls (${cost})?`,
    output: process.stderr,
  });
  if (answer === true) return;
  throw new UserError({
    code: "declined",
    message: "nothing was built",
    hint: "--dry-run shows the plan",
    exit: isCancel(answer) ? Exit.interrupted : Exit.refused,
  });
}

const IN_MEMORY = ":memory:";
