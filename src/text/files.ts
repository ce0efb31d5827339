import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import writeFileAtomic from "write-file-atomic";

/** Folders and files that we make are the user's alone. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Makes a folder of ours, private, with its parents. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/**
 * Replaces a file as a whole: temporary file beside it, fsync, rename. A reader sees the old or the
 * new content, never a part. An existing file keeps its mode; a new one gets `mode`.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number = PRIVATE_FILE): void {
  makePrivateFolder(dirname(path));
  const bytes = typeof content === "string" ? content : Buffer.from(content);
  writeFileAtomic.sync(path, bytes, existsSync(path) ? {} : { mode }); // a mode that is given wins over the file's own
}

/** Takes away from a file of ours what others could do with it. */
export function makePrivate(path: string): void {
  chmodSync(path, PRIVATE_FILE);
}
