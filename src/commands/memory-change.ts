import { createTwoFilesPatch } from "diff";
import { applyChange } from "../memory/apply.ts";
import type { Change, FileChange } from "../memory/change.ts";
import { type MemoryFiles, readMemory } from "../memory/directory.ts";
import { checkChange } from "../memory/gate.ts";
import type { Context } from "./command.ts";
import type { Output } from "./output.ts";

export interface Carried<Plan> {
  plan: Plan;
  /** What `undo` knows it by; `null` where nothing was written. */
  id: string | null;
}

/**
 * Works a plan out and checks it against the gate; with `apply` that happens under the directory's lock and
 * what it found is written. `changeOf` says what a plan would write.
 */
export async function carryOut<Plan>(
  directory: string,
  {
    plan,
    changeOf,
    apply,
  }: { plan: (memory: MemoryFiles) => Plan; changeOf: (plan: Plan) => Change | null; apply: boolean },
  { config }: Context,
): Promise<Carried<Plan>> {
  const work = () => {
    const memory = readMemory(directory);
    const made = plan(memory);
    const change = changeOf(made);
    if (change !== null) checkChange(memory, change);
    return { made, change };
  };
  if (!apply) return { plan: work().made, id: null };
  let done: Plan | null = null;
  const id = await applyChange({ directory, state: config.paths.state, now: new Date() }, () => {
    const { made, change } = work();
    done = made;
    return change;
  });
  return { plan: done ?? work().made, id };
}

/** The files of a change as one readable diff. */
export function diffOf(files: readonly FileChange[]): string {
  return files
    .map(({ path, before, after }) =>
      createTwoFilesPatch(
        before === null ? "/dev/null" : path,
        after === null ? "/dev/null" : path,
        textOf(before),
        textOf(after),
        undefined,
        undefined,
        { context: 1 },
      ).replace(/^(Index: .*\n)?=+\n/, ""),
    )
    .join("");
}

export function printDiff(files: readonly FileChange[], { text: print, colours }: Output): void {
  const paint = (line: string) => {
    if (/^(---|\+\+\+|@@)/.test(line)) return colours.dim(line);
    if (line.startsWith("+")) return colours.green(line);
    return line.startsWith("-") ? colours.red(line) : line;
  };
  print(diffOf(files).trimEnd().split("\n").map(paint).join("\n"));
}

/** What a person does next: apply a preview, or take back what was applied. */
export function printOutcome({ id }: { id: string | null }, command: string, { text }: Output): void {
  text("");
  text(
    id === null
      ? `Nothing was written. \`persisted-memory memory ${command} --apply\` writes it.`
      : "Written. `persisted-memory memory undo --apply` takes it back.",
  );
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? "" : new TextDecoder("utf-8").decode(bytes).replaceAll("\r\n", "\n");
}
