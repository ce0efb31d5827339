import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Exit, UserError, worstExit } from "../errors.ts";
import { appendLog } from "../knowledge/catalog.ts";
import { filesOf } from "../knowledge/change.ts";
import { commitFiles } from "../knowledge/commit.ts";
import { type ContradictionReport, findContradictions } from "../knowledge/contradictions.ts";
import { localDay } from "../knowledge/day.ts";
import { planFix } from "../knowledge/fix.ts";
import { type LintFinding, lintBase, sortFindings } from "../knowledge/lint.ts";
import { type LoadedBase, loadBase, lockBase, readText, settleBase } from "../knowledge/loaded.ts";
import { CONTRADICTIONS_VERSION } from "../knowledge/prompts/contradictions.ts";
import { LOG_FILE } from "../knowledge/record.ts";
import { renderReport } from "../knowledge/report.ts";
import { replaceFile } from "../text/files.ts";
import type { Context, Run } from "./command.ts";
import { count } from "./figures.ts";
import { commandBase, noteIfMissing } from "./knowledge-base.ts";
import { type KnowledgeModel, chooseKnowledgeModel } from "./knowledge-model.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  structuralOnly: z.boolean().default(false),
  fix: z.boolean().default(false),
  model: z.string().optional(),
  useApiKey: z.boolean().default(false),
});

export const run: Run = async ({ options }, context) => {
  const flags = checkOptions(Options, options);
  const { config, output, cwd } = context;
  const { base } = commandBase(config, cwd);
  noteIfMissing(base, output.note);
  settleBase(base, config.paths.state);
  const before = loadBase(base);
  const found = lintBase(before);
  const fixed = flags.fix ? applyFix(before, found, context) : [];
  const loaded = fixed.length === 0 ? before : loadBase(base);
  const word = flags.model ?? config.KNOWLEDGE_MODEL;
  const model = flags.structuralOnly
    ? null
    : chooseKnowledgeModel(word, config, {
        command: "knowledge lint",
        useApiKey: flags.useApiKey,
        warn: output.warn,
      });
  const asked = model === null ? null : await contradictions(loaded, model, context);
  const findings = sortFindings([
    ...(fixed.length === 0 ? found : lintBase(loaded)),
    ...(asked?.findings ?? []),
  ]);
  const report = existsSync(base.root) ? writeReport(loaded, { findings, fixed }, context) : null;
  output.object({
    base: base.root,
    report,
    findings,
    fixed,
    contradictions:
      asked === null ? "not looked for" : asked.stopped === null ? "looked for" : "looked for in part",
  });
  show(findings, fixed, context);
  if (asked === null && !flags.structuralOnly)
    output.note("contradictions need a model: --model haiku, or KNOWLEDGE_MODEL");
  if (asked?.stopped != null)
    output.warn(`contradictions were not looked for everywhere: ${asked.stopped.reason}`);
  if (report !== null) output.note(`report: ${report}`);
  const errors = findings.some(({ level }) => level === "error");
  return worstExit([...(errors ? [Exit.findings] : []), ...(asked?.stopped != null ? [Exit.model] : [])]);
};

function applyFix(loaded: LoadedBase, findings: readonly LintFinding[], { config }: Context): LintFinding[] {
  const change = planFix(loaded, findings, new Date());
  if (change === null) return [];
  const lock = lockBase(loaded.base, config.paths.state);
  if (lock.kind === "busy") {
    throw new UserError({
      code: "base-locked",
      message: "the base is being compiled; nothing was fixed",
      hint: "try again when it is done",
      exit: Exit.refused,
    });
  }
  try {
    const outcome = commitFiles(loaded.base.knowledge, filesOf(loaded, change));
    if (outcome.kind === "conflict") {
      throw new UserError({
        code: "base-conflict",
        message: `nothing was fixed, ${outcome.path}: ${outcome.reason}`,
        hint: "run it again",
        exit: Exit.refused,
      });
    }
  } finally {
    lock.release();
  }
  return findings.filter(({ check }) => check === "missing-backlink" || check === "unlisted");
}

async function contradictions(
  loaded: LoadedBase,
  model: KnowledgeModel,
  { output, signal }: Context,
): Promise<ContradictionReport> {
  output.note(model.payer);
  const started = model.start();
  let report: ContradictionReport | null = null;
  try {
    const ask = started.model({ purpose: "lint", promptVersion: CONTRADICTIONS_VERSION }, loaded.base.root);
    report = await findContradictions(loaded.articles, ask, signal);
    return report;
  } finally {
    const stopped = report?.stopped ?? null;
    const outcome =
      report === null
        ? "interrupted"
        : stopped === null
          ? "done"
          : stopped.kind === "paused"
            ? "paused"
            : "failed";
    started.finish({ outcome, ...(stopped === null ? {} : { reason: stopped.reason }) });
  }
}

/** The report and a line in the base's log. Returns the report's path. */
function writeReport(
  { base }: LoadedBase,
  { findings, fixed }: { findings: readonly LintFinding[]; fixed: readonly LintFinding[] },
  { config }: Context,
): string {
  const now = new Date();
  const name = `lint-${localDay(now)}.md`;
  replaceFile(join(base.reports, name), renderReport(localDay(now), findings, fixed));
  const lock = lockBase(base, config.paths.state);
  if (lock.kind === "busy") return join(base.reports, name); // the report says it all
  try {
    const log = join(base.knowledge, LOG_FILE);
    const bullets = [
      ["findings", String(findings.length)],
      ["report", `reports/${name}`],
    ] as const;
    replaceFile(
      log,
      appendLog(readText(log) ?? "", { at: now, operation: "lint", subject: "check", bullets }),
    );
  } finally {
    lock.release();
  }
  return join(base.reports, name);
}

function show(findings: readonly LintFinding[], fixed: readonly LintFinding[], { output }: Context): void {
  for (const { level, check, article, message } of findings) {
    const colour =
      level === "error"
        ? output.colours.red
        : level === "warning"
          ? output.colours.yellow
          : output.colours.dim;
    output.text(`${colour(level)} ${check} ${article}: ${message}`);
  }
  const of = (level: LintFinding["level"]) => findings.filter((finding) => finding.level === level).length;
  output.text(
    `${count(of("error"), "error")}, ${count(of("warning"), "warning")}, ${count(of("suggestion"), "suggestion")}${fixed.length > 0 ? `; ${fixed.length} fixed` : ""}.`,
  );
}
