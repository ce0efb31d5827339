import { Exit, UserError } from "../errors.ts";
import type { Change } from "./change.ts";
import { INDEX, type MemoryFiles, withFiles } from "./directory.ts";
import { lineText, splitLines } from "./document.ts";
import { baseOf } from "./links.ts";
import { reachOf } from "./reach.ts";

/** Why a file may lose its last link. */
export type Decision =
  | { name: string; kind: "deleted" }
  /** What it said stands in another entry of the index, named by its title or file. */
  | { name: string; kind: "absorbed"; entry: string };

export interface GateFindings {
  /** Files that were reachable and no longer are, without a decision. */
  lost: readonly string[];
  /** Files that were reachable and no longer are, each with the decision about it. */
  decided: readonly { path: string; decision: Decision }[];
  /** Files that became reachable. */
  gained: readonly string[];
}

/** What a rewrite did to the set of reachable files. Marks `— absorbed NAME.md` in the index count as decisions. */
export function compareReach(
  before: Iterable<string>,
  memory: MemoryFiles,
  decisions: readonly Decision[],
): GateFindings {
  const after = reachOf(memory).reached;
  const known = new Set(before);
  const all = [...decisions, ...marksOf(memory)];
  const gone = [...known].filter((path) => !after.has(path)).toSorted();
  const decided = gone.flatMap((path) => {
    const decision = all.find(({ name }) => name === path || name === baseOf(path));
    return decision === undefined ? [] : [{ path, decision }];
  });
  const settled = new Set(decided.map(({ path }) => path));
  return {
    lost: gone.filter((path) => !settled.has(path)),
    decided,
    gained: [...after].filter((path) => !known.has(path)).toSorted(),
  };
}

/** Refuses a change of ours that would strand a file or lose a line. Throws; exit code 4. */
export function checkChange(before: MemoryFiles, change: Change): void {
  const after = withFiles(before, new Map(change.files.map(({ path, after: bytes }) => [path, bytes])));
  const { lost } = compareReach(reachOf(before).reached, after, []);
  if (lost.length > 0) {
    throw refusal(
      "would-strand",
      `${list(lost)} would lose the last link; nothing was written`,
      "link it elsewhere first, or record why with `memory gate check --decide`",
    );
  }
  const missing = lostLines(before, after, change);
  if (missing.length > 0) {
    throw refusal(
      "would-lose-lines",
      `${missing.length} ${missing.length === 1 ? "line" : "lines"} would be lost, the first of them ${JSON.stringify(missing[0])}; nothing was written`,
      "this is a fault of the program: please report it with the index",
    );
  }
}

/** Lines that stand nowhere after a change, references that are made anew aside. */
function lostLines(before: MemoryFiles, after: MemoryFiles, { files, renewed }: Change): string[] {
  const counts = new Map<string, number>();
  const count = (memory: MemoryFiles, by: number) => {
    for (const { path } of files) {
      for (const line of splitLines(memory.files.get(path)?.text ?? "").map(lineText)) {
        if (line.trim() !== "") counts.set(line, (counts.get(line) ?? 0) + by);
      }
    }
  };
  count(before, 1);
  count(after, -1);
  for (const line of renewed) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].filter(([, number]) => number > 0).map(([line]) => line);
}

/** `absorbed NAME.md` behind a dash: the note that an entry took over what a file said. */
function marksOf(memory: MemoryFiles): Decision[] {
  const index = memory.files.get(INDEX)?.text ?? "";
  return [...index.matchAll(/^(.*)[—–-]+ absorbed `?([^\s`]+\.md)`?/gm)].map(([, entry = "", name = ""]) => ({
    name,
    kind: "absorbed",
    entry: entry.trim(),
  }));
}

function refusal(code: string, message: string, hint: string): UserError {
  return new UserError({ code, message, hint, exit: Exit.refused });
}

function list(names: readonly string[]): string {
  const [first, second, ...rest] = names;
  if (second === undefined) return first ?? "";
  return rest.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${rest.length} more`;
}
