import { existsSync } from "node:fs";
import { z } from "zod";
import { Exit } from "../errors.ts";
import { applyChange } from "../memory/apply.ts";
import { readMemory } from "../memory/directory.ts";
import { planInit } from "../memory/init.ts";
import type { Run } from "./command.ts";
import { printDiff, printOutcome } from "./memory-change.ts";
import { commandPlace, placeWords, shortPath } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({ apply: z.boolean().default(false) });

export const run: Run = async (input, context) => {
  const { apply } = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  const { directory } = place;
  const { config, output } = context;
  const plan = () => planInit(existsSync(directory) ? readMemory(directory) : null);
  const change = plan();
  const id =
    apply && change !== null
      ? await applyChange({ directory, state: config.paths.state, now: new Date() }, plan)
      : null;
  output.object({ directory, applied: id !== null, exists: change === null, change: id });
  if (change === null) {
    output.text(`${shortPath(directory, context)} has an index already; nothing to do.`);
    return Exit.done;
  }
  output.text(`${shortPath(directory, context)} (${placeWords(place, context)})`);
  printDiff(change.files, output);
  printOutcome({ id }, "init", output);
  return Exit.done;
};
