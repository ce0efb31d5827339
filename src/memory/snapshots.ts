import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makePrivateFolder, replaceFile } from "../text/files.ts";
import type { Change, FileChange } from "./change.ts";

/** How many changes of a directory can be taken back. */
const KEPT = 20;

const Record = z.object({
  id: z.string(),
  command: z.string(),
  summary: z.string(),
  directory: z.string(),
  /** ISO 8601 */
  at: z.string(),
  /**
   * `writing` and `undoing` are on disk only while it happens: found later, they tell of a crash.
   */
  state: z.enum(["writing", "done", "undoing", "undone"]),
  files: z.array(z.object({ path: z.string(), before: z.boolean(), after: z.boolean() })),
});

/** A change as it was written down before the first file was touched. */
export type Snapshot = z.output<typeof Record>;

/** Every snapshot that can be read, oldest first. One that a crash left without its record never began. */
export function readSnapshots(folder: string): Snapshot[] {
  return idsIn(folder).flatMap((id) => readRecord(folder, id) ?? []);
}

/** Writes down what a change is about to do, then lets the oldest snapshots go. */
export function takeSnapshot(folder: string, directory: string, change: Change, at: Date): Snapshot {
  const last = Number(idsIn(folder).at(-1) ?? 0);
  const id = String(last + 1).padStart(8, "0");
  makePrivateFolder(join(folder, "changes", id));
  const snapshot: Snapshot = {
    id,
    command: change.command,
    summary: change.summary,
    directory,
    at: at.toISOString(),
    state: "writing",
    files: change.files.map(({ path, before, after }) => ({
      path,
      before: before !== null,
      after: after !== null,
    })),
  };
  for (const [at2, { before, after }] of change.files.entries()) {
    if (before !== null) replaceFile(bytesPath(folder, id, at2, "before"), before);
    if (after !== null) replaceFile(bytesPath(folder, id, at2, "after"), after);
  }
  markSnapshot(folder, snapshot, "writing");
  for (const old of idsIn(folder).slice(0, -KEPT)) rmSync(join(folder, "changes", old), { recursive: true });
  return snapshot;
}

export function markSnapshot(folder: string, snapshot: Snapshot, state: Snapshot["state"]): void {
  const record = { ...snapshot, state };
  replaceFile(join(folder, "changes", snapshot.id, "change.json"), JSON.stringify(record, null, 2));
}

/** The files of a snapshot with their bytes before and after. */
export function snapshotFiles(folder: string, { id, files }: Snapshot): FileChange[] {
  const bytes = (at: number, side: "before" | "after") =>
    new Uint8Array(readFileSync(bytesPath(folder, id, at, side)));
  return files.map(({ path, before, after }, at) => ({
    path,
    before: before ? bytes(at, "before") : null,
    after: after ? bytes(at, "after") : null,
  }));
}

function bytesPath(folder: string, id: string, at: number, side: "before" | "after"): string {
  return join(folder, "changes", id, `${at}.${side}`);
}

function readRecord(folder: string, id: string): Snapshot | null {
  try {
    return Record.parse(JSON.parse(readFileSync(join(folder, "changes", id, "change.json"), "utf8")));
  } catch {
    return null;
  }
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, "changes"))
      .filter((name) => /^\d{8}$/.test(name))
      .toSorted();
  } catch {
    return [];
  }
}
