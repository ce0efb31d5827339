import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { locateSource } from "../../source/location.ts";
import { type Source, openSource } from "../../source/open.ts";
import { figure } from "../figures.ts";
import type { Check, Look } from "./check.ts";

/** claude-mem's database: which and why, whether it can be read, how large it is. */
export const source: Look = ({ config }) => {
  const location = locateSource(config.CLAUDE_MEM_DB, config.env);
  const { path: settings, problem } = location.settings;
  const unread: Check[] =
    problem === null
      ? []
      : [
          {
            check: "claude-mem-settings",
            level: "warn",
            message: `${settings} is not used: ${problem}`,
            hint: "mend it",
          },
        ];
  const opened = openSource(location.path);
  try {
    return [describe(opened, location.why), worker(location.path), ...unread];
  } finally {
    opened.close();
  }
};

function describe(opened: Source, why: string): Check {
  const [rows] = opened.all<{ rows: number }>("SELECT count(*) AS rows FROM observations");
  const sizes = [opened.path, `${opened.path}-wal`].map(megabytes);
  const message = `${opened.path} (${why}): ${figure(rows?.rows ?? 0)} observations, ${schema(opened)}, ${sizes[0]} and ${sizes[1]} of WAL`;
  if (!opened.degraded) return { check: "source", level: "pass", message };
  return {
    check: "source",
    level: "warn",
    message: `${message}; opened as ${opened.mode}, what was written last may be missing`,
    hint: "let this user write to its folder: SQLite needs that to read a database that is in use",
  };
}

/** By what it has, since half-migrated databases say anything. */
function schema({ columns }: Source): string {
  if (columns.syncRev) return "columns as of claude-mem 13.12 or later";
  return columns.merged ? "columns as of claude-mem 12.2 or later" : "columns as of before claude-mem 12.2";
}

function worker(database: string): Check {
  const pid = workerPid(join(dirname(database), "worker.pid"));
  const message =
    pid !== null && isAlive(pid) ? `claude-mem is running (process ${pid})` : "claude-mem is not running";
  return { check: "claude-mem", level: "pass", message };
}

function workerPid(path: string): number | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null && "pid" in value ? Number(value.pid) : null;
  } catch {
    return null; // it has not been started, or not by this version
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function megabytes(path: string): string {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
