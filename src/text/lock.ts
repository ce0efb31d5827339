import { Database } from "bun:sqlite";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivate, makePrivateFolder, replaceFile } from "./files.ts";

export interface LockHolder {
  pid: number;
  /** ISO 8601 */
  since: string;
}

export type LockOutcome = { kind: "held"; release: () => void } | { kind: "busy"; holder: LockHolder | null };

/**
 * A lock between processes that the system itself takes back when its holder dies, however it dies:
 * a reserved lock on an SQLite file of its own. Nothing to clean up, no stale pid to guess about.
 *
 * Waits up to `waitMs` for another holder. `path` is the lock's file; beside it, `path.json` says who
 * holds it, for people only.
 */
export function acquireLock(path: string, waitMs = 0): LockOutcome {
  makePrivateFolder(dirname(path));
  const fresh = !existsSync(path);
  const db = new Database(path, { create: true });
  try {
    if (fresh) makePrivate(path);
    db.run(`PRAGMA busy_timeout = ${waitMs}`);
    db.run("BEGIN IMMEDIATE");
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    return { kind: "busy", holder: awaitHolder(path) };
  }
  replaceFile(`${path}.json`, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }));
  return {
    kind: "held",
    release: () => {
      rmSync(`${path}.json`, { force: true });
      db.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/** The holder has the lock a moment before its name stands there; a name that a crash left is of nobody alive. */
function awaitHolder(path: string): LockHolder | null {
  for (let tries = 0; tries < 20; tries++) {
    const holder = readHolder(path);
    if (holder !== null && isAlive(holder.pid)) return holder;
    Bun.sleepSync(25);
  }
  return null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // alive, somebody else's
  }
}

function readHolder(path: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(readFileSync(`${path}.json`, "utf8"));
    if (typeof value !== "object" || value === null || !("pid" in value) || !("since" in value)) return null;
    return { pid: Number(value.pid), since: String(value.since) };
  } catch {
    return null; // not written yet
  }
}
