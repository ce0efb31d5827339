import { z } from "zod";
import { Exit } from "../errors.ts";
import { applyUndo, planUndo } from "../memory/undo.ts";
import type { Run } from "./command.ts";
import { count } from "./figures.ts";
import { diffOf, printDiff } from "./memory-change.ts";
import { commandPlace, requireDirectory } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({ apply: z.boolean().default(false) });

export const run: Run = async (input, context) => {
  const { apply } = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  requireDirectory(place);
  const options = { directory: place.directory, state: context.config.paths.state, now: new Date() };
  const plan = apply ? await applyUndo(options) : planUndo(options);
  const { output } = context;
  if (plan.kind === "nothing") {
    output.object({ directory: place.directory, applied: false, undone: null, left: 0 });
    output.text("There is no change of ours to take back here.");
    return Exit.done;
  }
  const { snapshot, files, mergedWithLater, left } = plan;
  output.object({
    directory: place.directory,
    applied: apply,
    undone: {
      id: snapshot.id,
      command: snapshot.command,
      summary: snapshot.summary,
      at: snapshot.at,
      state: snapshot.state,
    },
    files: files.map(({ path }) => path),
    mergedWithLater,
    left,
    diff: diffOf(files),
  });
  if (files.length > 0) printDiff(files, output);
  output.text("");
  const interrupted = snapshot.state === "done" ? "" : ", which was interrupted";
  output.text(
    `\`memory ${snapshot.command}\` of ${snapshot.at.slice(0, 16).replace("T", " ")} UTC (${snapshot.summary})${interrupted} ${apply ? "was taken back" : "would be taken back"}.`,
  );
  for (const path of mergedWithLater) output.text(`${path} was changed since; those changes stay.`);
  if (!apply) output.text("Nothing was written. `persisted-memory memory undo --apply` takes it back.");
  else if (left > 0) output.text(`${count(left, "earlier change")} can still be taken back.`);
  return Exit.done;
};
