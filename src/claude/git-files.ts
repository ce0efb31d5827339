import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files whose coming, going or changing may give a folder other project names. */
export function gitFiles(folder: string): string[] {
  const files: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    // `HEAD`, since a repository's own folder changes with every command of git
    for (const name of ["HEAD", ""]) {
      const file = join(at, ".git", name);
      files.push(file);
      if (existsSync(file)) return files;
    }
    if (at === dirname(at)) return files;
  }
}
