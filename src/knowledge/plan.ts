import { type LogPart, dayOf, logHash, logParts } from "./daily.ts";
import { type LoadedBase, changedLogs } from "./loaded.ts";
import { isGivenUp } from "./refusals.ts";

/** What of a log one call carries, in UTF-16 units. */
const LOG_UNITS = 24_000;

export interface CompileSelection {
  /** Every log, whole, compiled or not. */
  all: boolean;
  /** Only these, whole, compiled or not; relative to `daily/`. */
  logs: readonly string[];
  /** Of the changed ones only those up to this day: today's may still grow. */
  until: string | null;
}

/** One call: so many new parts of a log as fit. */
export interface CompileBatch {
  log: string;
  parts: readonly LogPart[];
  /** With it the whole log has been compiled. */
  last: boolean;
}

/** What a compile would do: pure. Of a log that only grew, the parts that were not compiled yet. */
export function planCompile(loaded: LoadedBase, { all, logs, until }: CompileSelection): CompileBatch[] {
  const changed = changedLogs(loaded).filter((log) => until === null || dayOf(log) <= until);
  const again = all || logs.length > 0;
  const chosen = logs.length > 0 ? logs : all ? [...loaded.logs.keys()] : changed;
  return chosen.flatMap((log) => {
    const parts = logParts(loaded.logs.get(log) ?? "");
    const done = new Set(loaded.record.logs[log]?.parts);
    const fresh = parts.filter(({ hash }) => !done.has(hash));
    return batches(log, again || fresh.length === 0 ? parts : fresh);
  });
}

/** The logs of a plan that are worth a call: all that were asked for, else those not refused too often as they are. */
export function dueLogs(loaded: LoadedBase, selection: CompileSelection, state: string): string[] {
  const logs = [...new Set(planCompile(loaded, selection).map(({ log }) => log))];
  if (selection.all || selection.logs.length > 0) return logs;
  return logs.filter((log) => !isGivenUp(state, loaded.base.root, log, logHash(loaded.logs.get(log) ?? "")));
}

/** So small that a model which said "too long" may take them. */
export function halves({ log, parts, last }: CompileBatch): CompileBatch[] {
  const middle = Math.ceil(parts.length / 2);
  return [
    { log, parts: parts.slice(0, middle), last: false },
    { log, parts: parts.slice(middle), last },
  ];
}

function batches(log: string, parts: readonly LogPart[]): CompileBatch[] {
  const groups: LogPart[][] = [];
  let units = Infinity;
  for (const part of parts) {
    if (units + part.text.length > LOG_UNITS) {
      groups.push([]);
      units = 0;
    }
    groups.at(-1)?.push(part);
    units += part.text.length;
  }
  return groups.map((group, n) => ({ log, parts: group, last: n === groups.length - 1 }));
}
