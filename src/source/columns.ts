import { sourceError } from "./errors.ts";

/** A row of `PRAGMA table_info`. */
export interface ColumnInfo {
  name: string;
  type: string;
  pk: number;
}

/** What the `observations` table at hand has of what we read. */
export interface Columns {
  /** The expression that gives a row's id: `id`, else the rowid. */
  id: string;
  title: boolean;
  /** `merged_into_project` (claude-mem 12.2 and later). */
  merged: boolean;
  /** `sync_rev` (13.12 and later). */
  syncRev: boolean;
  /** The column list of every row we read, in `SourceRow`'s terms, nothing by position. */
  select: string;
}

/** A text of more bytes than this is read only up to its first characters, so that a page fits into memory. */
const WHOLE_BYTES = 65_536;
const HEAD_CHARACTERS = 16_384;

/** The last id that a number can hold; greater and negative ones, which AUTOINCREMENT never gives, are not read. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;

const TEXTS = ["title", "subtitle", "narrative", "facts", "text"] as const;

/**
 * Asks the table and not claude-mem's version, which half-migrated databases get wrong. Throws where
 * project, time or every text is missing.
 */
export function probeColumns(table: readonly ColumnInfo[], path: string): Columns {
  const has = new Map(table.map((column) => [column.name.toLowerCase(), column]));
  const missing = ["project", "created_at_epoch"].filter((name) => !has.has(name));
  if (!TEXTS.some((name) => has.has(name))) missing.push(`one of ${TEXTS.join(", ")}`);
  if (missing.length > 0) {
    throw sourceError(
      "missing-columns",
      `the observations table of ${path} has no ${missing.join(" and no ")}`,
    );
  }
  const key = has.get("id");
  const id = key?.pk === 1 && /^integer$/i.test(key.type) ? "id" : "rowid";
  const plain = (name: string) => (has.has(name) ? name : "NULL");
  const select = [
    `${id} AS id`,
    "project AS project",
    `${plain("merged_into_project")} AS merged`,
    `${plain("type")} AS type`,
    `${has.has("concepts") ? bounded("concepts") : "NULL"} AS concepts`,
    ...TEXTS.map((name) => `${has.has(name) ? bounded(name) : "NULL"} AS ${name}`),
    "created_at_epoch AS epoch",
    `${plain("sync_rev")} AS syncRev`,
  ].join(", ");
  return {
    id,
    title: has.has("title"),
    merged: has.has("merged_into_project"),
    syncRev: has.has("sync_rev"),
    select,
  };
}

/** The size goes with the head, so that the fingerprint of a row notices a change behind it. */
function bounded(column: string): string {
  const bytes = `length(CAST(${column} AS BLOB))`;
  const head = `substr(${column}, 1, ${HEAD_CHARACTERS}) || ' (' || ${bytes} || ' bytes)'`;
  return `iif(${bytes} > ${WHOLE_BYTES}, ${head}, ${column})`;
}
