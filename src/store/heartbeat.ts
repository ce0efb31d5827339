import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { replaceFile } from "../text/files.ts";

const Heartbeat = z.object({
  /** ISO 8601: when the last build ended, also one with nothing to do. */
  at: z.string(),
  outcome: z.enum(["done", "nothing-new", "failed", "paused", "interrupted"]),
  reason: z.string().nullable(),
  /** The source file as it was when nothing was left to do: equal means nothing new. */
  sourceStamp: z.string().nullable(),
  /** Through which id the rolling check of changed tags came. */
  revisionCursor: z.number(),
});

/**
 * What the last build left for the next one and for `doctor`. Beside the store, not in it: a run with
 * nothing new must leave the store as it is. Losing it costs one slower run.
 */
export type Heartbeat = z.output<typeof Heartbeat>;

export function readHeartbeat(stateFolder: string, storePath: string): Heartbeat | null {
  try {
    return Heartbeat.parse(JSON.parse(readFileSync(statePath(stateFolder, storePath, "json"), "utf8")));
  } catch {
    return null; // none yet, or of another version: the next build goes the long way
  }
}

export function writeHeartbeat(stateFolder: string, storePath: string, heartbeat: Heartbeat): void {
  replaceFile(statePath(stateFolder, storePath, "json"), JSON.stringify(heartbeat));
}

/** The file that a build of this store locks. */
export function buildLockPath(stateFolder: string, storePath: string): string {
  return statePath(stateFolder, storePath, "lock");
}

function statePath(stateFolder: string, storePath: string, ending: string): string {
  const name = Bun.hash(resolve(storePath)).toString(16).padStart(16, "0");
  return join(stateFolder, "builds", `${name}.${ending}`);
}
