import { Database, type SQLQueryBindings } from "bun:sqlite";
import {
  type Stats,
  accessSync,
  constants,
  copyFileSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ColumnInfo, type Columns, probeColumns } from "./columns.ts";
import { asSourceError, sourceError, sqliteCode } from "./errors.ts";

/**
 * How the file was opened. `live`: as claude-mem's own readers do. `immutable`: a folder that we may not
 * write to, without a -wal. `copy`: the same with a -wal, read from a private copy of both.
 */
export type OpenMode = "live" | "immutable" | "copy";

/** claude-mem's database, open for reading. */
export interface Source {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly mode: OpenMode;
  /** Not `live`: what was written since may be missing, so absent rows prove nothing. */
  readonly degraded: boolean;
  readonly columns: Columns;
  /** One short query, read to its end. Throws a UserError for whatever SQLite finds wrong, then too. */
  all<Row>(sql: string, ...bindings: SQLQueryBindings[]): Row[];
  /** Closes and removes the private copy, if there is one. */
  close(): void;
}

export interface OpenOptions {
  /** Milliseconds to wait for a lock. */
  busyTimeout?: number;
  /** Bytes of database and -wal together that are copied at most. */
  copyLimit?: number;
  /** Where the private copy goes. */
  temporaryFolder?: string;
}

const BUSY_TIMEOUT = 5000;
const COPY_LIMIT = 2 ** 30;

/**
 * Opens claude-mem's database without ever writing to it, whatever state file and folder are in. Throws
 * a UserError (exit 3) where that cannot be; creates nothing beside a missing file.
 */
export function openSource(path: string, options: OpenOptions = {}): Source {
  const file = readableFile(path);
  try {
    return connect(file, "live", new Database(file, { readonly: true }), options);
  } catch (error) {
    if (!needsAnotherWay(error)) throw asSourceError(error, file);
    return openAside(file, error, options);
  }
}

/** SQLite opens missing files, folders and empty files late or not at all; these are told apart first. */
function readableFile(path: string): string {
  const asked = resolve(path);
  const stats = statsOf(asked);
  if (stats === null) throw sourceError("missing", `${asked} does not exist`);
  if (stats.isDirectory()) throw sourceError("is-directory", `${asked} is a folder`);
  if (!stats.isFile()) throw sourceError("not-sqlite", `${asked} is no regular file`);
  assertReadable(asked);
  if (stats.size === 0) throw sourceError("empty", `${asked} is empty`);
  return realpathSync(asked);
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOTDIR") return null;
    throw sourceError("unreadable", `${path} cannot be reached`, cause);
  }
}

function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw sourceError("unreadable", `${path} may not be read by this user`, cause);
  }
}

/** What SQLite says where it may not make or use the -shm file beside the database. */
function needsAnotherWay(error: unknown): boolean {
  return /^SQLITE_(?:READONLY|CANTOPEN|IOERR_SHM|IOERR_LOCK|PROTOCOL)/.test(sqliteCode(error) ?? "");
}

function openAside(file: string, why: unknown, options: OpenOptions): Source {
  // A write that was broken off has to be rolled back first, and that is claude-mem's to do.
  if (sizeOf(`${file}-journal`) > 0) throw asSourceError(why, file);
  try {
    if (sizeOf(`${file}-wal`) === 0) {
      // SQLITE_OPEN_READONLY | SQLITE_OPEN_URI: immutable can only be said in a URI.
      return connect(
        file,
        "immutable",
        new Database(`${pathToFileURL(file).href}?immutable=1`, 0x41),
        options,
      );
    }
    return openCopy(file, why, options);
  } catch (error) {
    throw asSourceError(error, file);
  }
}

/** Immutable would leave out what the -wal holds, without a word: both are copied instead. */
function openCopy(file: string, why: unknown, options: OpenOptions): Source {
  assertReadable(`${file}-wal`);
  const limit = options.copyLimit ?? COPY_LIMIT;
  const bytes = sizeOf(file) + sizeOf(`${file}-wal`);
  if (bytes > limit) {
    const sizes = `${Math.round(bytes / 2 ** 20)} MiB, over the ${Math.round(limit / 2 ** 20)} MiB that are copied`;
    throw sourceError(
      "too-large-to-copy",
      `${file} has a -wal in a folder that is not writable: ${sizes}`,
      why,
    );
  }
  const folder = mkdtempSync(join(options.temporaryFolder ?? tmpdir(), "persisted-memory-source-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const copy = join(folder, basename(file));
    copyBoth(file, copy);
    const source = connect(file, "copy", new Database(copy, { readonly: true }), options);
    return {
      ...source,
      close: () => {
        source.close();
        process.off("exit", remove);
        remove();
      },
    };
  } catch (error) {
    process.off("exit", remove);
    remove();
    throw error;
  }
}

/** A checkpoint between the two copies would tear them apart: then once more. */
function copyBoth(file: string, copy: string): void {
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = signature(file);
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    if (signature(file) === before) return;
  }
  throw sourceError("locked", `${file} changes faster than it can be copied`);
}

function signature(file: string): string {
  return [file, `${file}-wal`].map((name) => `${sizeOf(name)} ${statsOf(name)?.mtimeMs ?? 0}`).join(" ");
}

function sizeOf(path: string): number {
  return statsOf(path)?.size ?? 0;
}

/** SQLite opens lazily: only a query shows whether the file can be read. */
function connect(path: string, mode: OpenMode, db: Database, options: OpenOptions): Source {
  const all = <Row>(sql: string, ...bindings: SQLQueryBindings[]): Row[] => {
    try {
      return db.query<Row, SQLQueryBindings[]>(sql).all(...bindings);
    } catch (error) {
      throw asSourceError(error, path);
    }
  };
  try {
    db.run(`PRAGMA busy_timeout = ${options.busyTimeout ?? BUSY_TIMEOUT}`);
    const tables = db.query<{ n: number }, []>("SELECT count(*) AS n FROM sqlite_master").get()?.n ?? 0;
    if (tables === 0) throw sourceError("empty", `${path} has no tables`);
    const columns = db
      .query<ColumnInfo, []>("SELECT name, type, pk FROM pragma_table_info('observations')")
      .all();
    if (columns.length === 0) throw sourceError("no-observations", `${path} has no observations table`);
    return {
      path,
      mode,
      degraded: mode !== "live",
      columns: probeColumns(columns, path),
      all,
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
