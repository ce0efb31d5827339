import type { MemoryFiles } from "./directory.ts";
import { type Document, documentBytes } from "./document.ts";

/** A file of a memory directory before and after a change; `null` where there is none. */
export interface FileChange {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
}

/** What a command would write, worked out from the directory as it was read. */
export interface Change {
  /** The command's word: `archive`, `extract`, … */
  command: string;
  /** In one line, for people who look for what to undo. */
  summary: string;
  /** In the order of writing: what receives lines comes before what gives them, so that a crash doubles and never loses. */
  files: readonly FileChange[];
  /** Lines that may go without standing anywhere after: references that are made anew. */
  renewed: readonly string[];
}

export function fileChange(memory: MemoryFiles, path: string, document: Document): FileChange {
  return { path, before: memory.files.get(path)?.bytes ?? null, after: documentBytes(document) };
}

export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}
