import { applyChange } from "./apply.ts";
import type { ArchiveRules } from "./age.ts";
import { type ArchivePlan, planArchive } from "./archive.ts";
import { WARN_USAGE } from "./caps.ts";
import { readMemory } from "./directory.ts";
import { checkChange } from "./gate.ts";

export interface CareOrder {
  directory: string;
  /** The XDG state directory. */
  state: string;
  now: Date;
  settings: { maxLines: number; archiveThresholdDays: number; memoryAutoArchive: boolean };
}

/** What is to be done about an index, or was done where the person chose so, in words for them; `null` for nothing. */
export async function careForIndex({ directory, state, now, settings }: CareOrder): Promise<string | null> {
  const rules: ArchiveRules = {
    now,
    maxLines: settings.maxLines,
    triggerUsage: WARN_USAGE,
    thresholdDays: settings.archiveThresholdDays,
  };
  if (!settings.memoryAutoArchive) return suggestion(planArchive(readMemory(directory), rules));
  let plan: ArchivePlan | null = null;
  await applyChange({ directory, state, now }, () => {
    const memory = readMemory(directory);
    plan = planArchive(memory, rules);
    if (plan.kind === "nothing") return null;
    checkChange(memory, plan.change);
    return plan.change;
  });
  return plan === null ? null : outcome(plan);
}

function suggestion(plan: ArchivePlan): string | null {
  if (plan.kind === "archive") {
    const { moved, usage } = plan;
    return `MEMORY.md is at ${share(usage.before)} of what Claude Code loads; \`persisted-memory memory archive\` would move ${entries(moved.length)} to its archive (${share(usage.after)} then).`;
  }
  return tooFull(plan);
}

function outcome(plan: ArchivePlan): string | null {
  if (plan.kind === "nothing") return tooFull(plan);
  const { moved, usage } = plan;
  return `MEMORY.md: moved ${entries(moved.length)} to its archive, ${share(usage.before)} → ${share(usage.after)} of what Claude Code loads. \`persisted-memory memory undo --apply\` takes it back.`;
}

function tooFull({ usage }: Extract<ArchivePlan, { kind: "nothing" }>): string | null {
  if (usage < WARN_USAGE) return null;
  const state = usage > 1 ? "over" : "near";
  return `MEMORY.md is ${state} the limit of what Claude Code loads (${share(usage)}); \`persisted-memory memory audit\` says what to do.`;
}

function entries(number: number): string {
  return number === 1 ? "1 old entry" : `${number} old entries`;
}

function share(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}
