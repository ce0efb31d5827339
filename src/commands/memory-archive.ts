import { statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Exit } from "../errors.ts";
import type { KeptEntry } from "../memory/age.ts";
import { type ArchivePlan, planArchive } from "../memory/archive.ts";
import { WARN_USAGE } from "../memory/caps.ts";
import type { Context, Run } from "./command.ts";
import { count, percent } from "./figures.ts";
import { carryOut, diffOf, printDiff, printOutcome } from "./memory-change.ts";
import { commandPlace, requireDirectory, shortPath } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  apply: z.boolean().default(false),
  maxLines: z.coerce.number().int().min(0).optional(),
  days: z.coerce.number().int().min(0).optional(),
  usage: z.coerce.number().min(0).max(10).default(WARN_USAGE),
  mtime: z.boolean().default(false),
});

export const run: Run = async (input, context) => {
  const flags = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  requireDirectory(place);
  const { directory } = place;
  const rules = {
    now: new Date(),
    maxLines: flags.maxLines ?? context.config.MAX_LINES,
    triggerUsage: flags.usage,
    thresholdDays: flags.days ?? context.config.ARCHIVE_THRESHOLD_DAYS,
    ...(flags.mtime
      ? { mtimeOf: (path: string) => statSync(join(directory, path), { throwIfNoEntry: false })?.mtimeMs }
      : {}),
  };
  const carried = await carryOut(
    directory,
    {
      plan: (memory) => planArchive(memory, rules),
      changeOf: (plan) => (plan.kind === "archive" ? plan.change : null),
      apply: flags.apply,
    },
    context,
  );
  report(
    carried,
    { directory, applied: carried.id !== null, maxLines: rules.maxLines, days: rules.thresholdDays },
    context,
  );
  return Exit.done;
};

interface Ran {
  directory: string;
  applied: boolean;
  maxLines: number;
  days: number;
}

function report({ plan, id }: { plan: ArchivePlan; id: string | null }, ran: Ran, context: Context): void {
  const { output } = context;
  const kept = keptCounts(plan.kept);
  if (plan.kind === "nothing") {
    output.object({
      directory: ran.directory,
      applied: false,
      moved: [],
      reason: plan.reason,
      kept,
      usage: { before: plan.usage, after: plan.usage },
      activeLines: { before: plan.activeLines, after: plan.activeLines },
    });
    output.text(nothingWords(plan, ran));
    return;
  }
  output.object({
    directory: ran.directory,
    applied: ran.applied,
    moved: plan.moved,
    kept,
    usage: plan.usage,
    activeLines: plan.activeLines,
    overTarget: plan.overTarget,
    files: plan.change.files.map(({ path }) => path),
    change: id,
    diff: diffOf(plan.change.files),
  });
  printDiff(plan.change.files, output);
  output.text("");
  output.text(
    `${count(plan.moved.length, "entry", "entries")} older than ${ran.days} days ${ran.applied ? "moved" : "would move"} to the archive in ${shortPath(ran.directory, context)}.`,
  );
  output.text(
    `Usage ${percent(plan.usage.before)} → ${percent(plan.usage.after)}, active lines ${plan.activeLines.before} → ${plan.activeLines.after}.`,
  );
  if (plan.overTarget !== null) output.text(`Still over the target of 70 %: ${plan.overTarget}.`);
  printOutcome({ id }, "archive", output);
}

function nothingWords(plan: Extract<ArchivePlan, { kind: "nothing" }>, { maxLines, days }: Ran): string {
  const size = `${count(plan.activeLines, "active line")}, ${percent(plan.usage)} of the caps`;
  switch (plan.reason) {
    case "no index":
      return "There is no MEMORY.md here; nothing to archive.";
    case "under the trigger":
      return `Nothing to do: ${size}; archiving starts over ${maxLines} lines or at 80 %.`;
    case "would not shrink the index":
      return `Nothing to do: what is old enough is so little that the reference to it would take more room (${size}).`;
    case "nothing old enough": {
      const undated = plan.kept.filter(({ reason }) => reason === "undated").length;
      const hint =
        undated === 0
          ? ""
          : ` ${count(undated, "entry has", "entries have")} no date, so their age is unknown.`;
      return `Nothing to archive: no entry is older than ${days} days (${size}).${hint}`;
    }
  }
}

function keptCounts(kept: readonly KeptEntry[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(kept, ({ reason }) => reason)].map(([reason, all]) => [reason, all.length]),
  );
}
