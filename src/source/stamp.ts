import { type BigIntStats, closeSync, openSync, readSync, statSync } from "node:fs";

/** Whether a file changed, without opening the database. */
export interface Stamp {
  /** Equal keys of two settled stamps: nothing was written between them. */
  key: string;
  /**
   * False while the newest change is so young that another of the same size could hide in the same tick
   * of the file system's clock: such a stamp proves nothing later.
   */
  settled: boolean;
}

/** File systems round times to as much as two seconds. */
const RACY_MS = 2000;

/** `null` where the file cannot be reached. `now` in milliseconds. */
export function sourceStamp(path: string, now: number): Stamp | null {
  const main = statOf(path);
  if (main === null) return null;
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = main;
  // ctime notices what copying tools hide that keep a file's time.
  const parts: unknown[] = [dev, ino, size, mtimeNs, ctimeNs];
  let newest = Math.max(Number(mtimeMs), Number(ctimeMs));
  const wal = statOf(`${path}-wal`);
  // An empty -wal holds nothing; readers make and remove them. Its ctime changes when root reads.
  if (wal !== null && wal.size > 0n) {
    parts.push(wal.ino, wal.size, wal.mtimeNs, walHeader(`${path}-wal`));
    newest = Math.max(newest, Number(wal.mtimeMs));
  }
  return { key: parts.join(":"), settled: newest < now - RACY_MS };
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Checkpoint number and salts, new whenever the -wal starts over in its old length. */
function walHeader(path: string): string {
  try {
    const header = Buffer.alloc(32);
    const file = openSync(path, "r");
    try {
      readSync(file, header, 0, header.length, 0);
    } finally {
      closeSync(file);
    }
    return header.toString("hex", 12, 24);
  } catch {
    return "unreadable";
  }
}
