import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../text/files.ts";
import { sha256 } from "./article.ts";

/** So often refused, a log is compiled again only when it changes or a person asks: each try costs. */
const MOST = 3;

/** Notes that a log could not be compiled as it is now. `log`'s name is relative to `daily/`. */
export function noteRefusal(state: string, root: string, log: string, hash: string): void {
  const all = read(state, root);
  const known = all[log];
  const times = known?.hash === hash ? known.times + 1 : 1;
  replaceFile(pathOf(state, root), JSON.stringify({ ...all, [log]: { hash, times } }));
}

export function isGivenUp(state: string, root: string, log: string, hash: string): boolean {
  const known = read(state, root)[log];
  return known !== undefined && known.hash === hash && known.times >= MOST;
}

function read(state: string, root: string): Record<string, { hash: string; times: number }> {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(state, root), "utf8"));
    return Object.fromEntries(
      Object.entries(Object(value)).flatMap(([log, entry]: [string, unknown]) => {
        if (typeof entry !== "object" || entry === null || !("hash" in entry) || !("times" in entry))
          return [];
        return [[log, { hash: String(entry.hash), times: Number(entry.times) }]];
      }),
    );
  } catch {
    return {}; // nothing was ever refused
  }
}

function pathOf(state: string, root: string): string {
  return join(state, "knowledge", "refused", `${sha256(root).slice(0, 16)}.json`);
}
