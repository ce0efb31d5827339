import { z } from "zod";
import { Exit, UserError } from "../errors.ts";
import { INDEX, type MemoryFiles, readMemory } from "../memory/directory.ts";
import { readDocument } from "../memory/document.ts";
import {
  type MergeGroup,
  type MergePlan,
  mergeableEntries,
  planMerge,
  repeatedGroups,
} from "../memory/merge.ts";
import { modelGroups } from "../memory/merge-model.ts";
import { type Entry, outlineOf } from "../memory/outline.ts";
import { MERGE_VERSION } from "../memory/prompts/merge.ts";
import type { Context, Run } from "./command.ts";
import { count } from "./figures.ts";
import { type Carried, carryOut, diffOf, printDiff, printOutcome } from "./memory-change.ts";
import { askMemoryModel, memoryModel } from "./memory-model.ts";
import { commandPlace, requireDirectory } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  apply: z.boolean().default(false),
  model: z.string().optional(),
  useApiKey: z.boolean().default(false),
});

export const run: Run = async (input, context) => {
  const flags = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  requireDirectory(place);
  const { directory } = place;
  const model = memoryModel({ model: flags.model, useApiKey: flags.useApiKey }, "memory merge", context);
  const before = readMemory(directory);
  const groups = model === null ? null : await askGroups(before, model, directory, context);
  const carried = await carryOut(
    directory,
    {
      plan: (memory) => {
        if (groups !== null) refuseChanged(before, memory);
        return planMerge(memory, groups ?? repeatedGroups(entriesOf(memory)), new Date());
      },
      changeOf: (plan) => (plan.kind === "merge" ? plan.change : null),
      apply: flags.apply,
    },
    context,
  );
  report(carried, { directory, by: model?.choice.word ?? "extractive" }, context);
  return Exit.done;
};

async function askGroups(
  memory: MemoryFiles,
  model: NonNullable<ReturnType<typeof memoryModel>>,
  directory: string,
  context: Context,
): Promise<MergeGroup[]> {
  const entries = entriesOf(memory);
  if (entries.length < 2) return [];
  const order = { command: "memory merge", promptVersion: MERGE_VERSION, directory };
  const asked = await askMemoryModel(
    model,
    order,
    (ask) => modelGroups(entries, ask, context.signal),
    context,
  );
  if (asked.kind === "answered") return asked.value;
  throw new UserError({
    code: asked.kind === "paused" ? "model-paused" : "model-failed",
    message: `nothing was merged: ${asked.reason}`,
    hint: "`--model extractive` merges near-duplicates without a model",
    exit: asked.kind === "refused" && asked.gate ? Exit.refused : Exit.model,
  });
}

function entriesOf(memory: MemoryFiles): Entry[] {
  const file = memory.files.get(INDEX);
  return file === undefined ? [] : mergeableEntries(outlineOf(readDocument(file)));
}

/** A model's groups name lines of the index that it was shown. */
function refuseChanged(shown: MemoryFiles, now: MemoryFiles): void {
  if (shown.files.get(INDEX)?.text === now.files.get(INDEX)?.text) return;
  throw new UserError({
    code: "memory-changed",
    message: "the index was changed while the model read it; nothing was written",
    hint: "run it again",
    exit: Exit.refused,
  });
}

function report(
  { plan, id }: Carried<MergePlan>,
  { directory, by }: { directory: string; by: string },
  { output }: Context,
): void {
  const files = plan.kind === "merge" ? plan.change.files : [];
  output.object({
    directory,
    applied: id !== null,
    by,
    merged: plan.kind === "merge" ? plan.merged : [],
    files: files.map(({ path }) => path),
    change: id,
    diff: diffOf(files),
  });
  if (plan.kind === "nothing") {
    output.text("Nothing to merge: no two entries say the same.");
    return;
  }
  printDiff(files, output);
  output.text("");
  for (const { text, by: origin, from } of plan.merged) {
    output.text(
      `${output.colours.green(text)}  ${output.colours.dim(origin === "kept" ? "as it was" : `written by ${by}`)}`,
    );
    for (const { line, text: old } of from) output.text(`    line ${line}: ${old}`);
  }
  output.text(
    `${count(plan.merged.length, "group")}; the lines that leave ${id === null ? "would go" : "went"} to ${plan.archivePath}.`,
  );
  printOutcome({ id }, "merge", output);
}
