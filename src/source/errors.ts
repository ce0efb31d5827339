import { Exit, UserError } from "../errors.ts";

export type SourceProblem =
  | "missing"
  | "is-directory"
  | "unreadable"
  | "empty"
  | "not-sqlite"
  | "corrupt"
  | "locked"
  | "no-observations"
  | "missing-columns"
  | "too-large-to-copy"
  | "failed";

const HINTS: Record<SourceProblem, string> = {
  missing:
    "start claude-mem once so that it makes its database, or name another file with CLAUDE_MEM_DB; `seed --only` makes an example",
  "is-directory": "name the file inside it: CLAUDE_MEM_DB=…/claude-mem.db",
  unreadable: "check who may read the file and its -wal, or name another with CLAUDE_MEM_DB",
  empty:
    "claude-mem has not written to it yet; use it for a session, or name another file with CLAUDE_MEM_DB",
  "not-sqlite": "CLAUDE_MEM_DB must name claude-mem's SQLite database; an encrypted one cannot be read",
  corrupt:
    "the digests are untouched; often only its -wal is damaged: stop claude-mem, move the -wal away, keep both, and try again",
  locked: "another program holds the database for itself; wait for it or stop claude-mem, then run again",
  "no-observations":
    "this is not a claude-mem database of version 4 or later; name another with CLAUDE_MEM_DB",
  "missing-columns":
    "a half-migrated or foreign database: start claude-mem once so that it brings it up to date",
  "too-large-to-copy":
    "make its folder writable for you, or let claude-mem close the database so that the -wal goes",
  failed: "the digests are untouched; `doctor` shows how the database was found",
};

/** What stops us from reading claude-mem's database: exit 3, code `source-…`. */
export function sourceError(problem: SourceProblem, message: string, cause?: unknown): UserError {
  return new UserError({
    code: `source-${problem}`,
    message,
    hint: HINTS[problem],
    exit: Exit.environment,
    cause,
  });
}

/** The same error for what SQLite throws at any query; anything else as it is. */
export function asSourceError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const [problem, what] = describe(code);
  const detail = error instanceof Error ? error.message : String(error);
  return sourceError(problem, `${path} ${what} (${detail})`, error);
}

/** `SQLITE_BUSY`, `SQLITE_IOERR_READ`, …; `null` for what is not SQLite's. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code.startsWith("SQLITE_") ? error.code : null;
}

function describe(code: string): [SourceProblem, string] {
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) return ["locked", "is locked"];
  if (/^SQLITE_(?:CORRUPT|IOERR_CORRUPTFS)/.test(code)) return ["corrupt", "is damaged"];
  if (code === "SQLITE_NOTADB") return ["not-sqlite", "is not an SQLite database"];
  if (/^SQLITE_(?:CANTOPEN|PERM|AUTH|IOERR|READONLY)/.test(code)) return ["unreadable", "cannot be read"];
  return ["failed", "could not be read"];
}
