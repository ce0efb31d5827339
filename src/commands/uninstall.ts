import { z } from "zod";
import { readSettings, uninstalled } from "../claude/settings-file.ts";
import { Exit } from "../errors.ts";
import type { Run } from "./command.ts";
import { checkOptions } from "./options.ts";
import { carryOutChange, chosenSettings, printNext, unusableSettings } from "./settings-change.ts";

const Options = z.object({ apply: z.boolean().default(false) });

export const run: Run = async ({ options }, context) => {
  const { apply } = checkOptions(Options, options);
  const { scope, flag, path } = chosenSettings(options, context);
  const file = readSettings(path);
  const edited = uninstalled(file, context.config.paths.state);
  if (edited?.kind === "refused") throw unusableSettings(path, edited.reason);

  const change = carryOutChange({ file, content: edited?.text ?? null }, apply, context);
  context.output.object({ scope, ...change });
  printNext(change, `uninstall${flag}`, context);
  return Exit.done;
};
