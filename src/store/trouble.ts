/** What can be wrong with the store's file, in a person's words. */
export interface StoreTrouble {
  /** Stable, for scripts: `store-corrupt`. */
  code: string;
  /** Goes behind the file's path. */
  message: string;
  hint: string;
}

/** SQLite's errors about a file as a whole; `null` for any other error. */
export function storeTrouble(error: unknown): StoreTrouble | null {
  const code = sqliteCode(error);
  return TROUBLE.find(([prefix]) => code.startsWith(prefix))?.[1] ?? systemTrouble(code) ?? null;
}

/** The same for what the system says about the path itself. */
function systemTrouble(code: string): StoreTrouble | undefined {
  if (/^E(ACCES|PERM|ROFS|NOTDIR|LOOP|NAMETOOLONG|NOENT|EXIST)$/.test(code)) return UNREADABLE;
  return code === "ENOSPC" || code === "EDQUOT" ? FULL : undefined;
}

export function sqliteCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export const FOREIGN: StoreTrouble = {
  code: "store-foreign",
  message: "is a database of another program",
  hint: "DIGEST_DB must name a file of persisted-memory, or one that does not exist yet",
};

export const NO_FILE: StoreTrouble = {
  code: "store-no-file",
  message: "is a folder or a device",
  hint: "DIGEST_DB must name a file of persisted-memory, or one that does not exist yet",
};

export const TAKEN_AWAY: StoreTrouble = {
  code: "store-taken-away",
  message: "was moved or deleted while it was written",
  hint: "run it again: claude-mem's database still has everything",
};

export function newerStore(version: number, known: number): StoreTrouble {
  return {
    code: "store-newer",
    message: `was written by a newer persisted-memory (schema ${version}, this one knows ${known})`,
    hint: "update persisted-memory, or name another file with DIGEST_DB",
  };
}

const UNREADABLE: StoreTrouble = {
  code: "store-unreadable",
  message: "cannot be opened",
  hint: "check the folder and its permissions, or name another file with DIGEST_DB",
};

const FULL: StoreTrouble = {
  code: "store-full",
  message: "cannot grow: the disk is full",
  hint: "make room and run it again; nothing was lost",
};

const TROUBLE: readonly (readonly [string, StoreTrouble])[] = [
  [
    "SQLITE_BUSY",
    {
      code: "store-locked",
      message: "is locked by another process",
      hint: "wait for it to finish and try again",
    },
  ],
  [
    "SQLITE_NOTADB",
    {
      code: "store-not-sqlite",
      message: "is not an SQLite file",
      hint: "DIGEST_DB must name a file of persisted-memory; move this one away",
    },
  ],
  [
    "SQLITE_CORRUPT",
    {
      code: "store-corrupt",
      message: "is damaged",
      hint: "move it away and build again: claude-mem's database still has everything",
    },
  ],
  ["SQLITE_CANTOPEN", UNREADABLE],
  [
    "SQLITE_READONLY",
    {
      code: "store-unwritable",
      message: "cannot be written",
      hint: "check the permissions of the file and its folder",
    },
  ],
  ["SQLITE_FULL", FULL],
  [
    "SQLITE_IOERR",
    {
      code: "store-io",
      message: "cannot be read or written",
      hint: "check the disk and the path",
    },
  ],
];
