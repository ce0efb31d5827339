import { chmodSync, statSync } from "node:fs";
import { readStoreOrThrow } from "../../store/error.ts";
import { STORE_SCHEMA } from "../../store/peek.ts";
import type { Check, Look } from "./check.ts";

/** Our own file: readable, whole, and the user's alone. */
export const store: Look = ({ config }) => {
  const path = config.DIGEST_DB;
  const problems = readStoreOrThrow(path, (db) =>
    db
      .query<{ quick_check: string }, []>("PRAGMA quick_check(3)")
      .all()
      .map((row) => row.quick_check),
  );
  if (problems === null) {
    return [
      {
        check: "store",
        level: "warn",
        message: `${path} does not exist yet`,
        hint: "`persisted-memory build` makes it",
      },
    ];
  }
  return [integrity(path, problems), mode(path)];
};

function integrity(path: string, problems: readonly string[]): Check {
  if (problems.join() === "ok")
    return { check: "store", level: "pass", message: `${path}: schema ${STORE_SCHEMA}, whole` };
  return {
    check: "store",
    level: "fail",
    message: `${path} is damaged: ${problems.join("; ")}`,
    hint: "move it away and build again: claude-mem's database still has everything",
  };
}

/** On Windows the folder's rights decide, not the mode. */
function mode(path: string): Check {
  const open = [path, `${path}-wal`, `${path}-shm`].filter((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return process.platform !== "win32" && stat !== undefined && (stat.mode & 0o077) !== 0;
  });
  if (open.length === 0) return { check: "store-mode", level: "pass", message: "only you can read it" };
  return {
    check: "store-mode",
    level: "fail",
    message: `others can read ${open.join(", ")}`,
    hint: `chmod 600 ${open.join(" ")}`,
    fix: {
      does: `${open.join(", ")} can be read by you alone`,
      apply: () => open.forEach((file) => chmodSync(file, 0o600)),
    },
  };
}
