/** What a column may hold, whatever the schema says: SQLite's types are the value's, not the column's. */

/** NULL is the empty text; numbers are written out, blobs read as UTF-8. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return typeof value === "number" || typeof value === "bigint" ? String(value) : "";
}

/** The last moment that a `Date` can name; a later one could not be printed. */
const LAST_EPOCH = 8.64e15;

/**
 * Milliseconds. Values below 1e11 are seconds (importers write them), dates as text are read; 0 where
 * there is no telling.
 */
export function epochOf(value: unknown): number {
  const number = typeof value === "number" ? value : epochOfText(textOf(value).trim());
  if (!Number.isFinite(number) || number <= 0) return 0;
  return Math.min(Math.round(number < 1e11 ? number * 1000 : number), LAST_EPOCH);
}

function epochOfText(text: string): number {
  const number = Number(text);
  return Number.isNaN(number) ? Date.parse(text) : number;
}

/** claude-mem's `sync_rev`, a decimal as text: 1 until the row is changed. */
export function revisionOf(value: unknown): number {
  const number = Number(textOf(value));
  return Number.isSafeInteger(number) && number > 1 ? number : 1;
}

/**
 * The strings of a column that should hold a JSON array of them: of an array or object what it holds, a
 * JSON string itself, of an array that was cut off what is whole. `null` for plain text.
 */
export function stringsOf(raw: string): string[] | null {
  if (!/^\s*[[{"]/.test(raw)) return null;
  try {
    return flatten(JSON.parse(raw));
  } catch {
    const whole = raw.match(/"(?:[^"\\]|\\.)*"/g)?.flatMap(parsedString) ?? [];
    return raw.trimStart().startsWith("[") && whole.length > 0 ? whole : null;
  }
}

/** Deeper nesting than anybody means is left out: a row must not exhaust the stack. */
const DEEPEST = 8;

function flatten(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null || depth === DEEPEST) return [];
  return Object.values(value).flatMap((each) => flatten(each, depth + 1));
}

function parsedString(literal: string): string[] {
  try {
    return flatten(JSON.parse(literal));
  } catch {
    return [];
  }
}
