import type { Change } from "./change.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";

/** The least index there is, its links last. */
const MINIMAL = "# Project Memory\n\n## Topic Files\n";

/** Makes an index where there is none, `null` where there is. `memory`: `null` where even the directory is missing. */
export function planInit(memory: MemoryFiles | null): Change | null {
  if (memory?.files.has(INDEX)) return null;
  const after = new TextEncoder().encode(MINIMAL);
  return {
    command: "init",
    summary: `a new ${INDEX}`,
    files: [{ path: INDEX, before: null, after }],
    renewed: [],
  };
}
