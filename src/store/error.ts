import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { Exit, UserError } from "../errors.ts";
import { readStore } from "./peek.ts";
import { NO_FILE, type StoreTrouble, storeTrouble } from "./trouble.ts";

/** A store that cannot be used, for the person: exit 3. */
export function storeError(path: string, trouble: StoreTrouble, cause?: unknown): UserError {
  const { code, message, hint } = trouble;
  return new UserError({ code, message: `${path} ${message}`, hint, exit: Exit.environment, cause });
}

/**
 * `readStore` for commands: `null` where there is no store yet, an environment error where it is unusable or
 * where nobody lets us look.
 */
export function readStoreOrThrow<Result>(path: string, read: (db: Database) => Result): Result | null {
  const result = readStore(path, read);
  if (result === null) {
    assertReachable(path);
    return null;
  }
  if (result.kind === "unusable") throw storeError(path, result.trouble);
  return result.value;
}

function assertReachable(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw storeError(path, NO_FILE);
  } catch (cause) {
    const trouble = storeTrouble(cause);
    throw trouble === null ? cause : storeError(path, trouble, cause);
  }
}
