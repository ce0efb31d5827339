import { Exit } from "../errors.ts";
import { readMemory } from "../memory/directory.ts";
import { writeGate } from "../memory/gate-record.ts";
import { reachOf } from "../memory/reach.ts";
import { memoryStateFolder } from "../memory/state-folder.ts";
import type { Run } from "./command.ts";
import { count } from "./figures.ts";
import { commandPlace, requireDirectory } from "./memory-place.ts";

export const run: Run = async (input, context) => {
  const place = commandPlace(input, context);
  requireDirectory(place);
  const reached = [...reachOf(readMemory(place.directory)).reached].toSorted();
  const at = new Date().toISOString();
  const folder = memoryStateFolder(context.config.paths.state, place.directory);
  writeGate(folder, { directory: place.directory, at, reached, decisions: [] });
  context.output.object({ directory: place.directory, at, reached });
  context.output.text(
    `${count(reached.length, "file")} can be reached now. Rewrite the index, then run \`persisted-memory memory gate check\`.`,
  );
  return Exit.done;
};
