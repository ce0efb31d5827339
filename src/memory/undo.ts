import { applyPatch, structuredPatch } from "diff";
import { Exit, UserError } from "../errors.ts";
import { type ApplyOptions, readBytes, withMemoryLock, writeFile } from "./apply.ts";
import { type FileChange, sameBytes } from "./change.ts";
import { type Snapshot, markSnapshot, readSnapshots, snapshotFiles } from "./snapshots.ts";
import { memoryStateFolder } from "./state-folder.ts";

export type UndoPlan =
  | { kind: "nothing" }
  | {
      kind: "undo";
      snapshot: Snapshot;
      /** From what stands there now to what is put back. */
      files: readonly FileChange[];
      /** Files that somebody changed since; what they wrote stays. */
      mergedWithLater: readonly string[];
      /** How many changes could be taken back after this one. */
      left: number;
    };

/**
 * What taking the last change back would write. A file that was changed since keeps those later changes
 * where they do not touch the same lines; throws where they do.
 */
export function planUndo(options: Pick<ApplyOptions, "directory" | "state">): UndoPlan {
  const folder = memoryStateFolder(options.state, options.directory);
  const open = readSnapshots(folder).filter(({ state }) => state !== "undone");
  const snapshot = open.at(-1);
  if (snapshot === undefined) return { kind: "nothing" };
  const merged: string[] = [];
  const files = snapshotFiles(folder, snapshot)
    .toReversed()
    .flatMap((file) => {
      const now = readBytes(options.directory, file.path);
      if (sameBytes(now, file.before)) return [];
      if (sameBytes(now, file.after)) return [{ path: file.path, before: now, after: file.before }];
      merged.push(file.path);
      return [{ path: file.path, before: now, after: withoutChange(file, now) }];
    });
  return { kind: "undo", snapshot, files, mergedWithLater: merged, left: open.length - 1 };
}

/** Takes the last change back. Safe to run again after a crash anywhere in it. */
export async function applyUndo(options: ApplyOptions): Promise<UndoPlan> {
  return withMemoryLock(options, (folder) => {
    const plan = planUndo(options);
    if (plan.kind === "nothing") return plan;
    markSnapshot(folder, plan.snapshot, "undoing");
    for (const file of plan.files) writeFile(options, file);
    markSnapshot(folder, plan.snapshot, "undone");
    return plan;
  });
}

/** What a file would be if only the change had not happened. */
function withoutChange({ path, before, after }: FileChange, now: Uint8Array | null): Uint8Array | null {
  const [old, ours, theirs] = [text(before), text(after), text(now)];
  const result = now === null ? null : patched(theirs, ours, old);
  if (result !== null) return result === "" && before === null ? null : new TextEncoder().encode(result);
  // a crash before this file was written: what stands there still comes from the old text
  if (now !== null && patched(theirs, old, ours) !== null) return now;
  throw new UserError({
    code: "undo-conflict",
    message: `${path} was changed since in the same lines; nothing was taken back`,
    hint: "mend it by hand, with `memory undo` as the guide to what was changed",
    exit: Exit.refused,
  });
}

/** A text with what led from one to another done to it as well; `null` where that touches other lines. */
function patched(now: string, from: string, to: string): string | null {
  for (const context of [2, 1, 0]) {
    const patch = structuredPatch("", "", from, to, "", "", { context });
    const result = applyPatch(now, patch, { autoConvertLineEndings: false });
    if (result !== false) return result;
  }
  return null;
}

function text(bytes: Uint8Array | null): string {
  return bytes === null ? "" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
