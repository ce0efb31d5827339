import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";

/** Our own folder for one memory directory: its snapshots, its lock, its gate, what was said to whom. `state`: the XDG state directory. */
export function memoryStateFolder(state: string, directory: string): string {
  return join(state, "memory", createHash("sha256").update(real(directory)).digest("hex").slice(0, 16));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // a directory that is still to be made
  }
}
