import { z } from "zod";
import { Exit, type ExitCode, usageError, worstExit } from "../errors.ts";
import { refreshAnswers } from "../claude/answers.ts";
import { type CompileReport, compile } from "../knowledge/compile.ts";
import { type LoadedBase, loadBase, settleBase } from "../knowledge/loaded.ts";
import { type CompileSelection, dueLogs, planCompile } from "../knowledge/plan.ts";
import { COMPILE_VERSION } from "../knowledge/prompts/compile.ts";
import { promptFor } from "../knowledge/request.ts";
import { type Usage, NO_USAGE } from "../model/model.ts";
import { listCost } from "../model/prices.ts";
import { estimateTokens } from "../text/tokens.ts";
import type { Context, Run } from "./command.ts";
import { count } from "./figures.ts";
import { commandBase, noteIfMissing } from "./knowledge-base.ts";
import { type KnowledgeModel, chooseKnowledgeModel } from "./knowledge-model.ts";
import { checkOptions } from "./options.ts";
import { renderTable } from "./output.ts";

const Options = z.object({
  all: z.boolean().default(false),
  file: z.array(z.string()).default([]),
  until: z.iso.date().optional(),
  dryRun: z.boolean().default(false),
  model: z.string().optional(),
  useApiKey: z.boolean().default(false),
});

export const run: Run = async ({ options }, context) => {
  const flags = checkOptions(Options, options);
  const { config, output, cwd } = context;
  const { base } = commandBase(config, cwd);
  noteIfMissing(base, output.note);
  if (!flags.dryRun) settleBase(base, config.paths.state);
  const loaded = loadBase(base);
  const selection = {
    all: flags.all,
    logs: flags.file.map((file) => knownLog(file, loaded)),
    until: flags.until ?? null,
  };
  const word = flags.model ?? config.KNOWLEDGE_MODEL;
  const model = chooseKnowledgeModel(word, config, {
    command: "knowledge compile",
    useApiKey: flags.useApiKey,
    warn: output.warn,
  });
  const work = { context, loaded, selection, word };
  if (flags.dryRun) return showPlan(work, model);
  if (model === null) return withoutModel(work);
  return compileWith(work, model);
};

interface Work {
  context: Context;
  loaded: LoadedBase;
  selection: CompileSelection;
  word: string;
}

/** Also as a path or without its ending, as people type it. */
function knownLog(file: string, { logs, base }: LoadedBase): string {
  const name = file
    .replaceAll("\\", "/")
    .replace(/^.*\bdaily\//, "")
    .replace(/(?:\.md)?$/, ".md");
  if (logs.has(name)) return name;
  throw usageError(
    "unknown-log",
    `there is no log ${name} in ${base.daily}`,
    `the latest: ${[...logs.keys()].slice(-3).join(", ") || "none yet"}`,
  );
}

async function compileWith(work: Work, model: KnowledgeModel): Promise<ExitCode> {
  const { context, loaded, selection } = work;
  const { config, output, signal } = context;
  // a run that has nothing to ask is no run
  if (planCompile(loaded, selection).length === 0) return show(work, NOTHING_DONE, NO_USAGE);
  output.note(model.payer);
  const started = model.start();
  let report: CompileReport | null = null;
  let usage: Usage;
  try {
    report = await compile({
      base: loaded.base,
      state: config.paths.state,
      selection,
      model: () => started.model({ purpose: "compile", promptVersion: COMPILE_VERSION }, loaded.base.root),
      guard: started.guard,
      now: () => new Date(),
      signal,
      progress: ({ log, parts }, end) =>
        output.note(`daily/${log}, ${count(parts.length, "part")}: ${end.kind}`),
    });
  } finally {
    usage = started.finish(endOf(report));
  }
  if (report.done.length > 0) await refreshAnswers(config.paths.state, loaded.base.root, config.env);
  return show(work, report, usage);
}

const NOTHING_DONE: CompileReport = { locked: null, done: [], givenUp: [], failures: [], paused: null };

function endOf(report: CompileReport | null): Parameters<ReturnType<KnowledgeModel["start"]>["finish"]>[0] {
  if (report === null) return { outcome: "interrupted" };
  if (report.paused !== null) return { outcome: "paused", reason: report.paused.reason };
  const [failure] = report.failures;
  return failure === undefined ? { outcome: "done" } : { outcome: "failed", reason: failure.reason };
}

function show({ context, loaded, word }: Work, report: CompileReport, usage: Usage): ExitCode {
  const { output } = context;
  const { done, failures, givenUp, paused, locked } = report;
  const pages = (of: "created" | "updated") => done.reduce((sum, entry) => sum + entry[of].length, 0);
  output.object({
    model: word,
    base: loaded.base.root,
    dryRun: false,
    totals: {
      logs: new Set(done.map(({ log }) => log)).size,
      created: pages("created"),
      updated: pages("updated"),
      ...usage,
    },
    compiled: done,
    failures,
    givenUp,
    paused:
      paused === null ? null : { reason: paused.reason, resumeAt: paused.resumeAt?.toISOString() ?? null },
    ...(locked === null ? {} : { locked: locked === "unknown" ? { pid: null, since: null } : locked }),
  });
  if (locked !== null) output.text("Another compile of this base is running; nothing was done.");
  for (const { log, created, updated } of done) {
    const changes = [...created.map((path) => `+ ${path}`), ...updated.map((path) => `~ ${path}`)];
    output.text(
      `daily/${log}${changes.length === 0 ? ": nothing worth a page" : `\n  ${changes.join("\n  ")}`}`,
    );
  }
  if (
    done.length === 0 &&
    failures.length === 0 &&
    givenUp.length === 0 &&
    locked === null &&
    paused === null
  )
    output.text("Nothing new: every log is compiled.");
  for (const { log, reason } of failures)
    output.warn(`daily/${log} was not compiled, the base is as it was: ${reason}`);
  for (const log of givenUp)
    output.warn(`daily/${log} was refused too often as it is; try again with --file ${log}`);
  if (paused !== null)
    output.warn(
      `the model does not answer now: ${paused.reason}; what is compiled stays, the next run goes on from here`,
    );
  if (usage.calls > 0)
    output.note(`${count(usage.calls, "call")}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`);
  const codes = failures.map(({ code }) => (code === "unreadable" ? Exit.model : Exit.refused));
  return worstExit(paused === null ? codes : [...codes, Exit.model]);
}

function withoutModel({ context, loaded, selection, word }: Work): ExitCode {
  const { output } = context;
  const logs = [...new Set(planCompile(loaded, selection).map(({ log }) => log))];
  output.object({
    model: word,
    base: loaded.base.root,
    dryRun: false,
    totals: { logs: 0, created: 0, updated: 0, ...NO_USAGE },
    compiled: [],
    failures: [],
    givenUp: [],
    paused: null,
    waiting: logs,
  });
  if (logs.length === 0) output.text("Nothing new: every log is compiled.");
  else {
    output.text(`${count(logs.length, "log")} to compile: ${logs.join(", ")}`);
    output.note(
      "articles are written by a model: knowledge compile --model haiku, or set KNOWLEDGE_MODEL (--dry-run shows what it takes)",
    );
  }
  return Exit.done;
}

function showPlan({ context, loaded, selection, word }: Work, model: KnowledgeModel | null): ExitCode {
  const { output, config } = context;
  const due = new Set(dueLogs(loaded, selection, config.paths.state));
  const calls = planCompile(loaded, selection)
    .filter(({ log }) => due.has(log))
    .map((batch) => {
      const prompt = promptFor(batch, loaded);
      return {
        log: batch.log,
        parts: batch.parts.length,
        inputTokens: estimateTokens(prompt.system + prompt.user),
      };
    });
  const inputTokens = calls.reduce((sum, call) => sum + call.inputTokens, 0);
  const outputTokens = calls.length * OUTPUT_TOKENS;
  const costUsd = model === null ? 0 : listCost(model.choice.model, { inputTokens, outputTokens });
  output.object({
    model: word,
    base: loaded.base.root,
    dryRun: true,
    payer: model?.payer ?? null,
    totals: {
      logs: new Set(calls.map(({ log }) => log)).size,
      calls: calls.length,
      inputTokens,
      outputTokens,
      costUsd,
    },
    compiled: calls,
    failures: [],
  });
  if (calls.length === 0) output.text("Nothing new: every log is compiled.");
  else
    output.text(
      renderTable(
        ["log", "parts", "tokens in"],
        calls.map(({ log, parts, inputTokens: tokens }) => [log, parts, tokens]),
      ),
    );
  if (model !== null && calls.length > 0) {
    const cost = costUsd === null ? "at an unknown price" : `about $${costUsd.toFixed(2)} at list price`;
    output.text(
      `\n${model.payer}: ${count(calls.length, "call")}, about ${inputTokens} tokens in and ${outputTokens} out, ${cost}.`,
    );
  }
  output.note(`nothing was written to ${loaded.base.root}`);
  return Exit.done;
}

/** What a compile's answer was long in trials. */
const OUTPUT_TOKENS = 2500;
