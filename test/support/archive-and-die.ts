/**
 * A process that archives a directory and is killed for good before it writes its nth file; n past the
 * last file kills it behind that one. Arguments: directory, state folder, n.
 */
import { applyChange } from "../../src/memory/apply.ts";
import { planArchive } from "../../src/memory/archive.ts";
import { readMemory } from "../../src/memory/directory.ts";
import { replaceFile } from "../../src/text/files.ts";

const [directory = "", state = "", at = "0"] = process.argv.slice(2);
let written = 0;
const die = () => process.kill(process.pid, "SIGKILL");

await applyChange(
  {
    directory,
    state,
    now: new Date("2026-07-06T10:00:00"),
    write: (path, bytes, mode) => {
      if (written === Number(at)) die();
      replaceFile(path, bytes, mode);
      written++;
      if (written === 2 && Number(at) === 2) die();
    },
  },
  () => {
    const rules = {
      now: new Date("2026-07-06T10:00:00"),
      maxLines: 0,
      triggerUsage: 0.8,
      thresholdDays: 180,
    };
    const plan = planArchive(readMemory(directory), rules);
    return plan.kind === "archive" ? plan.change : null;
  },
);
