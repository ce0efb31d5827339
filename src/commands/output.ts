import Table from "cli-table3";
import pc from "picocolors";

export const SCHEMA_VERSION = 1;

/** Where a command's words go: stdout is data, stderr is progress and warnings. */
export interface Output {
  /** `--json` was given: exactly one object goes to stdout. */
  readonly json: boolean;
  /** Somebody sits there: colours, progress and questions are welcome. */
  readonly interactive: boolean;
  readonly colours: ReturnType<typeof pc.createColors>;
  /** Data for a person, to stdout; nothing with `--json`. */
  text(text: string): void;
  /** The one object, to stdout; nothing without `--json`. */
  object(value: Record<string, unknown>): void;
  /** To stderr. */
  note(text: string): void;
  warn(text: string): void;
}

export interface OutputStreams {
  stdout: { write(text: string): unknown; isTTY?: boolean };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

export function createOutput(
  streams: OutputStreams,
  options: { json: boolean; colour: boolean; interactive: boolean },
): Output {
  const colours = pc.createColors(options.colour);
  const line = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
  return {
    json: options.json,
    interactive: options.interactive,
    colours,
    text: (text) => void (options.json || streams.stdout.write(line(text))),
    object: (value) =>
      void (
        options.json &&
        streams.stdout.write(line(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...value }, null, 2)))
      ),
    note: (text) => void streams.stderr.write(line(text)),
    warn: (text) => void streams.stderr.write(line(`${colours.yellow("warning:")} ${text}`)),
  };
}

/** A table without box drawing, aligned by display width (CJK included). Numbers and `right` columns align right. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  right: readonly number[] = [],
): string {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, column) =>
      right.includes(column) || (rows.length > 0 && rows.every((row) => typeof row[column] === "number"))
        ? "right"
        : "left",
    ),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
    chars: {
      top: "",
      "top-mid": "",
      "top-left": "",
      "top-right": "",
      bottom: "",
      "bottom-mid": "",
      "bottom-left": "",
      "bottom-right": "",
      left: "",
      "left-mid": "",
      mid: "",
      "mid-mid": "",
      right: "",
      "right-mid": "",
      middle: "",
    },
  });
  table.push(
    ...rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en-US") : cell))),
  );
  return table
    .toString()
    .split("\n")
    .map((text) => text.trimEnd())
    .join("\n");
}
