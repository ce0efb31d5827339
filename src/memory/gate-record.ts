import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../text/files.ts";
import type { Decision } from "./gate.ts";

const Record = z.object({
  directory: z.string(),
  /** ISO 8601 */
  at: z.string(),
  /** Files that could be reached then. */
  reached: z.array(z.string()),
  decisions: z.array(
    z.union([
      z.object({ name: z.string(), kind: z.literal("deleted") }),
      z.object({ name: z.string(), kind: z.literal("absorbed"), entry: z.string() }),
    ]),
  ),
});

/** What could be reached before somebody's rewrite, and what was decided since. */
export type GateRecord = Omit<z.output<typeof Record>, "decisions"> & { decisions: readonly Decision[] };

/** The last snapshot of the gate, `null` where none was taken. `folder`: our own for the directory. */
export function readGate(folder: string): GateRecord | null {
  try {
    return Record.parse(JSON.parse(readFileSync(path(folder), "utf8")));
  } catch {
    return null;
  }
}

export function writeGate(folder: string, record: GateRecord): void {
  replaceFile(path(folder), JSON.stringify(record, null, 2));
}

function path(folder: string): string {
  return join(folder, "gate.json");
}
