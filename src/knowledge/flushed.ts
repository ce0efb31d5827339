import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../text/files.ts";

/** What already stands in a base's daily logs. */
export interface Flushed {
  /** When each session was last flushed, in milliseconds; the last few hundred of them. */
  sessions: Readonly<Record<string, number>>;
  /** Hashes of messages; a resumed session repeats those of the one before under another id. */
  hashes: readonly string[];
}

const SESSIONS = 500;
const HASHES = 20_000;

/** `base` is the base's folder. */
export function readFlushed(state: string, base: string): Flushed {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(state, base), "utf8"));
    if (typeof value !== "object" || value === null || !("sessions" in value) || !("hashes" in value))
      return NONE;
    const sessions = Object.entries(Object(value.sessions)).flatMap(([session, at]) =>
      typeof at === "number" ? [[session, at] as const] : [],
    );
    const hashes = Array.isArray(value.hashes) ? value.hashes.filter((hash) => typeof hash === "string") : [];
    return { sessions: Object.fromEntries(sessions), hashes };
  } catch {
    return NONE;
  }
}

const NONE: Flushed = { sessions: {}, hashes: [] };

export function noteFlushed(
  state: string,
  base: string,
  flush: { session: string; at: number; hashes: readonly string[] },
): void {
  const before = readFlushed(state, base);
  const sessions = Object.entries({ ...before.sessions, [flush.session]: flush.at })
    .toSorted(([, a], [, b]) => a - b)
    .slice(-SESSIONS);
  const hashes = [...before.hashes, ...flush.hashes].slice(-HASHES);
  replaceFile(pathOf(state, base), JSON.stringify({ sessions: Object.fromEntries(sessions), hashes }));
}

function pathOf(state: string, base: string): string {
  const name = new Bun.CryptoHasher("sha256").update(base).digest("hex").slice(0, 16);
  return join(state, "knowledge", "flushed", `${name}.json`);
}
