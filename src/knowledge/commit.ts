import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { PRIVATE_FILE, makePrivateFolder } from "../text/files.ts";
import { sha256 } from "./article.ts";

/** One file of a change to a base. */
export interface FileChange {
  /** Relative to `knowledge/`. */
  path: string;
  content: string;
  /** SHA-256 of the file that the change was made for; `null` where there was none. */
  before: string | null;
}

export type CommitOutcome =
  | { kind: "committed" }
  /** Somebody changed the file meanwhile, or it leads out of the base. Nothing was written. */
  | { kind: "conflict"; path: string; reason: string };

const STAGING = ".staging";
const MANIFEST = "commit.json";

/**
 * Writes all the files or none, also when the process is killed: they are staged beside the base, a
 * manifest makes the change final, then each is moved to its place. What a kill leaves is finished or
 * taken back by `recoverBase`. The caller holds the base's lock.
 */
export function commitFiles(knowledge: string, changes: readonly FileChange[]): CommitOutcome {
  recoverBase(knowledge);
  const conflict = findConflict(knowledge, changes);
  if (conflict !== null) return conflict;
  const staging = join(knowledge, STAGING);
  makePrivateFolder(staging);
  for (const [n, { content, path }] of changes.entries()) {
    writeSynced(
      join(staging, String(n)),
      content,
      statSync(join(knowledge, path), { throwIfNoEntry: false })?.mode ?? PRIVATE_FILE,
    );
  }
  writeSynced(
    join(staging, `${MANIFEST}.new`),
    JSON.stringify(changes.map(({ path }) => path)),
    PRIVATE_FILE,
  );
  renameSync(join(staging, `${MANIFEST}.new`), join(staging, MANIFEST));
  syncFolder(staging);
  finish(knowledge);
  return { kind: "committed" };
}

/** Finishes or takes back what a killed process left. The caller holds the base's lock. */
export function recoverBase(knowledge: string): "clean" | "finished" | "taken-back" {
  const staging = join(knowledge, STAGING);
  if (!existsSync(staging)) return "clean";
  if (existsSync(join(staging, MANIFEST))) {
    finish(knowledge);
    return "finished";
  }
  rmSync(staging, { recursive: true, force: true });
  return "taken-back";
}

function finish(knowledge: string): void {
  const staging = join(knowledge, STAGING);
  const paths: unknown = JSON.parse(readFileSync(join(staging, MANIFEST), "utf8"));
  const targets = (Array.isArray(paths) ? paths : []).map((path) => join(knowledge, String(path)));
  for (const [n, to] of targets.entries()) {
    const from = join(staging, String(n));
    if (!existsSync(from)) continue; // moved before the kill
    makePrivateFolder(dirname(to));
    renameSync(from, to);
  }
  for (const folder of new Set(targets.map((target) => dirname(target)))) syncFolder(folder);
  rmSync(staging, { recursive: true, force: true }); // only now: until then the manifest can do it again
}

function findConflict(knowledge: string, changes: readonly FileChange[]): CommitOutcome | null {
  for (const { path, before } of changes) {
    const target = join(knowledge, path);
    const now = existsSync(target) ? sha256(readFileSync(target, "utf8")) : null;
    if (now !== before) return { kind: "conflict", path, reason: "it changed meanwhile" };
    if (leadsOut(knowledge, target))
      return { kind: "conflict", path, reason: "it is a link that leads out of the base" };
  }
  return null;
}

function leadsOut(knowledge: string, target: string): boolean {
  if (!existsSync(knowledge)) return false;
  const root = realpathSync(knowledge) + sep;
  const real = existsSync(target) ? target : existsSync(dirname(target)) ? dirname(target) : knowledge;
  return !`${realpathSync(real)}${sep}`.startsWith(root);
}

function writeSynced(path: string, content: string, mode: number): void {
  const file = openSync(path, "w", mode & 0o777);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(path, mode & 0o777); // the process's umask must not change a file that was there
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return; // there a folder cannot be opened
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
