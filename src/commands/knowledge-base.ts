import { existsSync } from "node:fs";
import { projectFolder } from "../claude/project-names.ts";
import type { Config } from "../config.ts";
import { type Base, type ChosenBase, chooseBase } from "../knowledge/base.ts";

/** The base that a command means: KNOWLEDGE_DIR, else the one of the project in the working directory. */
export function commandBase({ KNOWLEDGE_DIR, paths, env }: Config, cwd: string): ChosenBase {
  return chooseBase({
    configured: KNOWLEDGE_DIR ?? null,
    data: paths.data,
    folder: projectFolder(cwd, env),
    cwd,
    env,
  });
}

/** For those who look into a base: says where it would be, when nothing is there yet. */
export function noteIfMissing({ root }: Base, note: (text: string) => void): void {
  if (!existsSync(root)) note(`there is no base yet: ${root}`);
}
