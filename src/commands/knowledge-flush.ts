import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { startDetached } from "../detach.ts";
import { Exit, type ExitCode } from "../errors.ts";
import { refreshAnswers } from "../claude/answers.ts";
import { baseAt } from "../knowledge/base.ts";
import { dueLogs } from "../knowledge/plan.ts";
import { localDay } from "../knowledge/day.ts";
import { type FlushReport, type FlushedCapture, flush } from "../knowledge/flush.ts";
import { loadBase } from "../knowledge/loaded.ts";
import { FLUSH_VERSION } from "../knowledge/prompts/flush.ts";
import { queuedNames } from "../knowledge/waiting.ts";
import { NO_USAGE } from "../model/model.ts";
import { parseModel } from "../model/models.ts";
import type { Context, Run } from "./command.ts";
import { count } from "./figures.ts";
import { type KnowledgeRun, chooseKnowledgeModel } from "./knowledge-model.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  wait: z.boolean().default(false),
  model: z.string().optional(),
  useApiKey: z.boolean().default(false),
});

export const run: Run = async ({ options }, context) => {
  const flags = checkOptions(Options, options);
  const { config, output } = context;
  const word = flags.model ?? config.KNOWLEDGE_MODEL;
  const model = chooseKnowledgeModel(word, config, {
    command: "knowledge flush",
    useApiKey: flags.useApiKey,
    warn: output.warn,
  });
  const asked = model === null || queuedNames(config.paths.state).length === 0 ? null : model.start();
  let report: FlushReport | null = null;
  let usage = NO_USAGE;
  try {
    report = await flushAll(context, asked, flags.wait);
  } finally {
    usage = asked?.finish(endOf(report)) ?? NO_USAGE;
  }
  if (parseModel(config.KNOWLEDGE_MODEL).kind === "model") startCompiles(report, context);
  for (const root of writtenBases(report)) await refreshAnswers(config.paths.state, root, config.env);
  return show(report, { word, usage, context });
};

async function flushAll(context: Context, asked: KnowledgeRun | null, wait: boolean): Promise<FlushReport> {
  const { config, signal } = context;
  const once = () =>
    flush({
      state: config.paths.state,
      asked:
        asked === null
          ? null
          : {
              guard: asked.guard,
              model: ({ base }) => asked.model({ purpose: "flush", promptVersion: FLUSH_VERSION }, base),
            },
      now: () => new Date(),
      signal,
    });
  let report = await once();
  if (!wait) return report;
  while (report.dueAt !== null && report.paused === null) {
    await sleep(Math.max(0, report.dueAt.getTime() - Date.now()) + 10, undefined, { signal });
    const next = await once();
    const before = report.flushed.filter(({ outcome }) => outcome !== "waiting");
    report = { ...next, flushed: [...before, ...next.flushed], locked: false };
  }
  return report;
}

function endOf(report: FlushReport | null): Parameters<KnowledgeRun["finish"]>[0] {
  if (report === null) return { outcome: "interrupted" };
  if (report.paused !== null) return { outcome: "paused", reason: report.paused.reason };
  const refused = report.flushed.find(({ outcome }) => outcome === "refused");
  return refused === undefined
    ? { outcome: "done" }
    : { outcome: "failed", reason: refused.reason ?? "refused" };
}

function writtenBases({ flushed }: FlushReport): Set<string> {
  const written = flushed.filter(({ outcome }) => outcome === "written" || outcome === "nothing");
  return new Set(written.map(({ base }) => base));
}

/** After the hour, or on the first flush of a new day, the changed logs become articles, in a process of their own. */
function startCompiles(report: FlushReport, { config }: Context): void {
  const now = new Date();
  const yesterday = localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1));
  const evening = now.getHours() >= config.COMPILE_AFTER_HOUR;
  for (const root of writtenBases(report)) {
    const loaded = loadBase(baseAt(root));
    const selection = { all: false, logs: [], until: evening ? null : yesterday };
    if (dueLogs(loaded, selection, config.paths.state).length === 0) continue;
    startDetached(["knowledge", "compile", ...(evening ? [] : ["--until", yesterday])], {
      ...config.env,
      KNOWLEDGE_DIR: root,
    });
  }
}

function show(
  report: FlushReport,
  { word, usage, context }: { word: string; usage: typeof NO_USAGE; context: Context },
): ExitCode {
  const { output } = context;
  const { flushed, paused, locked, dueAt } = report;
  output.object({
    model: word,
    locked,
    flushed,
    paused:
      paused === null ? null : { reason: paused.reason, resumeAt: paused.resumeAt?.toISOString() ?? null },
    dueAt: dueAt?.toISOString() ?? null,
    usage,
  });
  for (const entry of flushed)
    output.text(
      `${entry.session}: ${OUTCOMES[entry.outcome]}${entry.reason === undefined ? "" : `: ${entry.reason}`}`,
    );
  if (locked) output.text("Another flush is running and takes all that waits.");
  else if (flushed.length === 0 && paused === null) output.text("Nothing waits to be written down.");
  if (usage.calls > 0)
    output.note(`${count(usage.calls, "call")}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`);
  if (paused !== null)
    output.warn(`the model does not answer now: ${paused.reason}; what waits stays for the next try`);
  return paused !== null || flushed.some(({ outcome }) => outcome === "refused") ? Exit.model : Exit.done;
}

const OUTCOMES: Readonly<Record<FlushedCapture["outcome"], string>> = {
  written: "written into the daily log",
  nothing: "nothing worth keeping",
  repeated: "stands in the log already",
  "too-short": "too short to say anything",
  waiting: "waits, its session was flushed just now",
  refused: "not written, stays for the next try",
};
