/** A row of `knowledge/index.md`. */
export interface IndexRow {
  /** `concepts/some-slug` */
  path: string;
  summary: string;
  /** `daily/2026-04-01.md`, several with commas. */
  compiledFrom: string;
  /** `2026-04-01`, or what a person wrote there. */
  updated: string;
}

export interface Index {
  rows: readonly IndexRow[];
  /** What people wrote above and below the table; it stays. */
  before: string;
  after: string;
}

const TITLE = "# Knowledge Base Index";
const HEAD = "| Article | Summary | Compiled From | Updated |";
const RULE = "|---|---|---|---|";

/** Reads an index, rewritten by hand or not. A line of the table without a link to an article is no row. */
export function parseIndex(text: string): Index {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  if (first < 0) return { rows: [], before: withoutTitle(text), after: "" };
  const length = lines.slice(first).findIndex((line) => !line.startsWith("|"));
  const end = length < 0 ? lines.length : first + length;
  return {
    rows: lines.slice(first, end).flatMap((line) => parseRow(line) ?? []),
    before: withoutTitle(lines.slice(0, first).join("\n")),
    after: lines.slice(end).join("\n").trim(),
  };
}

/** One line of the table, or `null`; for the hook, which copies rows as they stand. */
export function parseRow(line: string): IndexRow | null {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|(?![^[\]]*\]\])/) // people forget to escape the bar of a link
    .map((words) => words.trim().replaceAll("\\|", "|"));
  const [, link = ""] = /^\W*\[\[([^\]]+)\]\]/.exec(cells[0] ?? "") ?? [];
  const path =
    link
      .split("|", 1)[0]
      ?.split("#", 1)[0]
      ?.trim()
      .replace(/^(?:\.\/|knowledge\/)+/, "")
      .replace(/\.md$/i, "") ?? "";
  if (path === "") return null;
  return { path, summary: cells[1] ?? "", compiledFrom: cells[2] ?? "", updated: cells[3] ?? "" };
}

/** The whole file, the same for the same input: newest first, then by path. */
export function renderIndex(index: Index): string {
  const rows = index.rows.toSorted((a, b) => compare(b.updated, a.updated) || compare(a.path, b.path));
  const table = [HEAD, RULE, ...rows.map(renderRow)].join("\n");
  return `${[TITLE, index.before, table, index.after].filter((part) => part !== "").join("\n\n")}\n`;
}

/** One line, safe inside a table. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().replaceAll("|", "\\|");
}

export interface LogEntry {
  at: Date;
  operation: "compile" | "query" | "lint";
  subject: string;
  /** In order; names without words are left out. */
  bullets: readonly (readonly [name: string, words: string])[];
}

/** The log with one entry more; nothing that stands there changes. */
export function appendLog(log: string, entry: LogEntry): string {
  const bullets = entry.bullets
    .filter(([, words]) => words !== "")
    .map(([name, words]) => `- ${name}: ${words}`);
  const text = [
    `## [${entry.at.toISOString()}] ${entry.operation} | ${entry.subject.replaceAll(/\s+/g, " ")}`,
    ...bullets,
  ].join("\n");
  return `${log.trim() === "" ? "# Knowledge Log" : log.trimEnd()}\n\n${text}\n`;
}

function renderRow(row: IndexRow): string {
  return `| [[${row.path}]] | ${cell(row.summary)} | ${cell(row.compiledFrom)} | ${cell(row.updated)} |`;
}

function withoutTitle(text: string): string {
  return text.trim().startsWith(TITLE) ? text.trim().slice(TITLE.length).trim() : text.trim();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
