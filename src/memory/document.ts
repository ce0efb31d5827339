import { Exit, UserError } from "../errors.ts";
import type { MemoryFile } from "./directory.ts";

/** A file's text as lines that keep their own endings, so that what is not touched stays as it was. */
export interface Document {
  bom: boolean;
  /** Each line with its ending; the last may have none. */
  lines: readonly string[];
  /** The ending that new lines get. */
  eol: string;
}

/** Throws where the bytes are no UTF-8: writing them back would change what nobody asked to change. */
export function readDocument(file: MemoryFile): Document {
  const bom = file.bytes[0] === 0xef && file.bytes[1] === 0xbb && file.bytes[2] === 0xbf;
  const text = decodeStrictly(file).slice(bom ? 1 : 0);
  const lines = splitLines(text);
  return { bom, lines, eol: endingOf(lines[0] ?? "") || "\n" };
}

export function emptyDocument(eol: string): Document {
  return { bom: false, lines: [], eol };
}

export function documentText({ lines }: Document): string {
  return lines.join("");
}

export function documentBytes({ bom, lines }: Document): Uint8Array {
  return new TextEncoder().encode((bom ? "\uFEFF" : "") + lines.join(""));
}

/** Lines as CommonMark has them: `\n`, `\r\n` and a lone `\r` end one. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

/** A line without its ending. */
export function lineText(line: string): string {
  return line.replace(/[\r\n]+$/, "");
}

export function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}

/** Ends every line as the document does; a file's last line may have had no ending. */
export function linesFor(document: Document, lines: readonly string[]): string[] {
  return lines.map((line) => lineText(line) + document.eol);
}

/** A document with other lines: each with an ending, but for the last one where the document had none there. */
export function withLines(document: Document, lines: readonly string[]): Document {
  return { ...document, lines: ended(document, lines) };
}

function ended(document: Document, lines: readonly string[]): string[] {
  const last = document.lines.at(-1);
  const whole = lines.map((line) => (endingOf(line) === "" ? line + document.eol : line));
  if (last === undefined || endingOf(last) !== "") return whole;
  while (isBlank(whole.at(-1)) && whole.length > 0) whole.pop();
  return [...whole.slice(0, -1), ...whole.slice(-1).map(lineText)];
}

function endingOf(line: string): string {
  return /[\r\n]+$/.exec(line)?.[0] ?? "";
}

function decodeStrictly(file: MemoryFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file.bytes);
  } catch (cause) {
    throw new UserError({
      code: "not-utf8",
      message: `${file.path} is not UTF-8 and was left alone`,
      hint: "save it as UTF-8, then run this again",
      exit: Exit.environment,
      cause,
    });
  }
}
