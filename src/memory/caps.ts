/** What Claude Code loads of an index at most; both inclusive. */
export const LINE_CAP = 200;
export const UNIT_CAP = 25_000;

/** Fractions of the caps: from `WARN_USAGE` on something should be done, down to `TARGET_USAGE`. */
export const WARN_USAGE = 0.8;
export const TARGET_USAGE = 0.7;

/** The larger of both caps' fractions: 1 is full. */
export function usageOf(lines: number, units: number): number {
  return Math.max(lines / LINE_CAP, units / UNIT_CAP);
}

/** Lines with something on them, wherever they stand: what `MAX_LINES` counts. */
export function countActiveLines(text: string): number {
  let active = 0;
  for (const line of text.split("\n")) if (line.trim() !== "") active++;
  return active;
}
