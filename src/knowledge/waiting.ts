import { readdirSync } from "node:fs";

/** Where captures wait, below the state directory. Light: a session waits for this file. */
export function queueFolder(state: string): string {
  return `${state}/knowledge/queue`;
}

/** The captures that wait, oldest first, by their files' names. */
export function queuedNames(state: string): string[] {
  try {
    return readdirSync(queueFolder(state))
      .filter((name) => /^\d{15}-.*\.json$/.test(name))
      .toSorted();
  } catch {
    return []; // nothing was ever captured
  }
}
