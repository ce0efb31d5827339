import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { type MemoryPlace, claudeConfigDirectory, memoryPlace } from "../claude/memory-directories.ts";
import { Exit, UserError } from "../errors.ts";
import { expandHome, homeDirectory } from "../paths.ts";
import { INDEX } from "../memory/directory.ts";
import type { Context, Input } from "./command.ts";

const Directory = z.string().min(1).optional();

/** The memory directory that a command means: its argument (a directory or an index), else the one of the working directory. */
export function commandPlace({ args }: Input, { config, cwd }: Context): MemoryPlace {
  const argument = Directory.parse(args[0]);
  const place = memoryPlace(cwd, config.env);
  if (argument === undefined) return place;
  const path = resolve(cwd, expandHome(argument, config.env));
  const directory = basename(path) === INDEX ? dirname(path) : path;
  if (directory === place.directory) return place;
  return { directory, scope: "argument", from: null, project: null, passedOver: [], disabledBy: null };
}

/** Throws where there is no such directory. */
export function requireDirectory({ directory }: MemoryPlace): void {
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return;
  throw new UserError({
    code: "memory-missing",
    message:
      stat === undefined ? `there is no memory directory at ${directory}` : `${directory} is no directory`,
    hint: "`persisted-memory memory init --apply` makes one; a path as argument names another",
    exit: Exit.environment,
  });
}

/** Why this directory and no other, in words for a person. */
export function placeWords({ scope, from, project }: MemoryPlace, context: Context): string {
  if (scope === "argument") return "named on the command line";
  const home = (path: string | null) => shortPath(path ?? "", context);
  if (scope === "default") return `Claude Code's own place for ${home(project)}`;
  if (scope === "environment") return `named by ${from}`;
  return `autoMemoryDirectory in ${scope} settings, ${home(from)}`;
}

/** `~` for the home directory. */
export function shortPath(path: string, { config }: Context): string {
  const inside = relative(homeDirectory(config.env), path);
  return inside === "" ? "~" : inside.startsWith("..") || inside.startsWith("/") ? path : `~/${inside}`;
}

/** The instructions that Claude Code loads beside the index. */
export function instructionsOf(project: string | null, context: Context): { path: string; text: string }[] {
  const own = [join(claudeConfigDirectory(context.config.env), "CLAUDE.md")];
  const files =
    project === null
      ? own
      : [...["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"].map((name) => join(project, name)), ...own];
  return files
    .filter((path) => existsSync(path))
    .map((path) => ({ path: shortPath(path, context), text: readFileSync(path, "utf8") }));
}
