import { z } from "zod";
import { Exit } from "../errors.ts";
import type { Run } from "./command.ts";
import { SHELLS, completionScript } from "./completion-script.ts";
import { COMMANDS } from "./table.ts";

export const run: Run = async ({ args }, { output }) => {
  output.text(completionScript(z.enum(SHELLS).parse(args[0]), COMMANDS));
  return Exit.done;
};
