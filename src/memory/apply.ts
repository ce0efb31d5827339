import { readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { Exit, UserError } from "../errors.ts";
import { replaceFile } from "../text/files.ts";
import { acquireLock } from "../text/lock.ts";
import { type Change, type FileChange, sameBytes } from "./change.ts";
import { INDEX } from "./directory.ts";
import { markSnapshot, readSnapshots, snapshotFiles, takeSnapshot } from "./snapshots.ts";
import { memoryStateFolder } from "./state-folder.ts";

export interface ApplyOptions {
  directory: string;
  /** The XDG state directory. */
  state: string;
  now: Date;
  /** Writes one file whole; tests give one that stops half-way. */
  write?: (path: string, bytes: Uint8Array, mode: number) => void;
}

const WAIT_MS = 5000;
const NEW_FILE = 0o644;

/**
 * Works a change out and writes it, alone: `plan` runs under the directory's lock, files are compared
 * with what it read just before each is replaced, and all of them are written down first, for `undo`.
 * `null` from `plan` writes nothing. Returns the snapshot's id.
 */
export async function applyChange(
  options: ApplyOptions,
  plan: () => Promise<Change | null> | Change | null,
): Promise<string | null> {
  return withMemoryLock(options, async (folder) => {
    refuseUnfinished(folder);
    const change = await plan();
    if (change === null) return null;
    for (const file of change.files) refuseChanged(options.directory, file);
    const snapshot = takeSnapshot(folder, options.directory, change, options.now);
    writeAll(options, change.files, () => markSnapshot(folder, snapshot, "undone"));
    markSnapshot(folder, snapshot, "done");
    return snapshot.id;
  });
}

/** Every file, or none of them: what was written before one fails is put back, as far as nobody changed it. */
function writeAll(options: ApplyOptions, files: readonly FileChange[], onPutBack: () => void): void {
  const written: FileChange[] = [];
  try {
    for (const file of files) {
      writeFile(options, file);
      written.unshift(file);
    }
  } catch (error) {
    const back = written.map(({ path, before, after }) => ({ path, before: after, after: before }));
    for (const file of back) {
      if (sameBytes(readBytes(options.directory, file.path), file.before)) writeFile(options, file);
    }
    onPutBack();
    throw error;
  }
}

/** Runs with the lock of a memory directory; throws where another process of ours keeps it. */
export async function withMemoryLock<Result>(
  { directory, state }: Pick<ApplyOptions, "directory" | "state">,
  run: (folder: string) => Promise<Result> | Result,
): Promise<Result> {
  const folder = memoryStateFolder(state, directory);
  const lock = acquireLock(join(folder, "lock"), WAIT_MS);
  if (lock.kind === "busy") {
    throw new UserError({
      code: "memory-locked",
      message: `another process${lock.holder === null ? "" : ` (${lock.holder.pid})`} is writing ${directory}`,
      hint: "run it again when that has ended",
      exit: Exit.environment,
    });
  }
  try {
    return await run(folder);
  } finally {
    lock.release();
  }
}

/** Replaces or takes away one file, if it still is what the change was worked out from. */
export function writeFile(options: ApplyOptions, file: FileChange): void {
  refuseChanged(options.directory, file);
  const path = join(options.directory, file.path);
  if (file.after === null) {
    if (file.before !== null) unlinkSync(path);
    return;
  }
  (options.write ?? replaceFile)(path, file.after, modeFor(options.directory, path));
}

export function readBytes(directory: string, path: string): Uint8Array | null {
  try {
    return new Uint8Array(readFileSync(join(directory, path)));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw cause;
  }
}

function refuseChanged(directory: string, { path, before }: FileChange): void {
  if (sameBytes(readBytes(directory, path), before)) return;
  throw new UserError({
    code: "memory-changed",
    message: `${path} was changed by somebody else meanwhile; what they wrote was left as it is`,
    hint: "run it again",
    exit: Exit.refused,
  });
}

function refuseUnfinished(folder: string): void {
  const last = readSnapshots(folder).at(-1);
  if (last === undefined || last.state === "done" || last.state === "undone") return;
  const files = snapshotFiles(folder, last);
  if (files.every(({ path, before }) => sameBytes(readBytes(last.directory, path), before))) {
    markSnapshot(folder, last, "undone"); // it stopped before its first file
    return;
  }
  if (files.every(({ path, after }) => sameBytes(readBytes(last.directory, path), after))) {
    markSnapshot(folder, last, "done"); // it stopped after its last one
    return;
  }
  throw new UserError({
    code: "memory-unfinished",
    message: `a \`memory ${last.command}\` of ${last.at} was interrupted between its files`,
    hint: "`memory undo --apply` takes it back; nothing was lost",
    exit: Exit.refused,
  });
}

/** A new file is as readable as the index beside it. */
function modeFor(directory: string, path: string): number {
  const stat =
    statSync(path, { throwIfNoEntry: false }) ?? statSync(join(directory, INDEX), { throwIfNoEntry: false });
  return stat === undefined ? NEW_FILE : stat.mode & 0o777;
}
