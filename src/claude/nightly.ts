import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../text/files.ts";
import { SCHEDULERS } from "./schedule.ts";

const Nightly = z.object({
  scheduler: z.enum(SCHEDULERS),
  /** `03:30`, local. */
  time: z.string(),
  /** ISO 8601 */
  since: z.string(),
  files: z.array(z.string()),
});

/** The schedule that we installed, as noted then. */
export type InstalledSchedule = z.output<typeof Nightly>;

export function readSchedule(state: string): InstalledSchedule | null {
  try {
    return Nightly.parse(JSON.parse(readFileSync(notePath(state), "utf8")));
  } catch {
    return null; // none was installed
  }
}

export function noteSchedule(state: string, schedule: InstalledSchedule): void {
  replaceFile(notePath(state), JSON.stringify(schedule));
}

export function forgetSchedule(state: string): void {
  rmSync(notePath(state), { force: true });
}

function notePath(state: string): string {
  return join(state, "schedule.json");
}
