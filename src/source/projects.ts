import picomatch from "picomatch";
import { cleanProject } from "../text/clean.ts";

/** Where a row's project leads. */
export interface Placement {
  /** The effective project. */
  project: string;
  skip: "excluded-project" | "junk-project" | null;
}

export interface ProjectRules {
  /** The user's names: old to new. */
  aliases: ReadonlyMap<string, string>;
  /** Globs of project names. */
  excluded: readonly string[];
  /** claude-mem's own `CLAUDE_MEM_EXCLUDED_PROJECTS`: globs of folders. */
  excludedFolders: readonly string[];
}

/** Answers by the row's `project` and `merged_into_project`; each pair is worked out once. */
export type Place = (project: string, merged: string) => Placement;

/** claude-mem's word for a session without a folder. */
const NAMELESS = "unknown-project";

/**
 * The effective project is `merged_into_project` where set, else `project`; then the user's aliases.
 * Excluded is a row if any of its names is: what should not be remembered is not for having moved.
 * Junk is judged by the effective name, so that an alias can rescue it.
 */
export function placeProjects({ aliases, excluded, excludedFolders }: ProjectRules): Place {
  const isExcluded = anyOf([
    ...excluded.map((glob) => matcher(glob, { dot: true })),
    ...folderGlobs(excludedFolders).names.map((glob) => matcher(glob, UPSTREAM)),
  ]);
  const known = new Map<string, Placement>();
  return (project, merged) => {
    const key = merged === "" ? project : `${project}\n${merged}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const placement = place(project, merged, aliases, isExcluded);
    known.set(key, placement);
    return placement;
  };
}

function place(
  project: string,
  merged: string,
  aliases: ReadonlyMap<string, string>,
  isExcluded: (name: string) => boolean,
): Placement {
  const names = [project, merged].map(cleanProject);
  const own = names[1] || names[0] || NAMELESS;
  const effective = followAliases(own, aliases);
  if ([...names, effective].some((name) => name !== "" && isExcluded(name))) {
    return { project: effective, skip: "excluded-project" };
  }
  return { project: effective, skip: isJunkProject(effective) ? "junk-project" : null };
}

/** Follows old names to the newest; in a circle it stops where it would come back. */
export function followAliases(project: string, aliases: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let name = project;
  for (let next = aliases.get(name); next !== undefined && !seen.has(next); next = aliases.get(name)) {
    seen.add(name);
    name = next;
  }
  return name;
}

/**
 * What claude-mem files under no project of anybody's: its own sessions, a plugin's version folder, the
 * folder for temporary files of macOS (`T`), and what `mktemp` makes.
 */
export function isJunkProject(name: string): boolean {
  return (
    name === "observer-sessions" ||
    name === "T" ||
    /^v?\d+(?:\.\d+)+(?:[-+][\w.]+)?$/.test(name) ||
    /^tmp\.\w+$/.test(name)
  );
}

/** claude-mem's globs know `*`, `**` and `?` only. */
const UPSTREAM = { dot: true, nobrace: true, nobracket: true, noextglob: true, nonegate: true };

/**
 * claude-mem matches these against the session's whole folder and against its last segment. We know only
 * a project's name, the last segment of the work tree: so a path's last segment stands for it. A path
 * whose last segment is `*` or `**` names no project; those are returned for a person to see.
 */
export function folderGlobs(globs: readonly string[]): { names: string[]; unusable: string[] } {
  const names: string[] = [];
  const unusable: string[] = [];
  for (const glob of globs) {
    const path = glob.replaceAll("\\", "/").replace(/\/+$/, "");
    const last = path.slice(path.lastIndexOf("/") + 1);
    if (last === "~" || (path.includes("/") && /^[*?]*$/.test(last))) unusable.push(glob);
    else names.push(last);
  }
  return { names, unusable };
}

/** A worktree's `repo/branch` is excluded with `repo`, and by its own last name. */
function matcher(glob: string, options: picomatch.PicomatchOptions): (name: string) => boolean {
  const matches = picomatch(glob, options);
  return (name) => matches(name) || (name.includes("/") && name.split("/").some((part) => matches(part)));
}

function anyOf(tests: readonly ((name: string) => boolean)[]): (name: string) => boolean {
  return (name) => tests.some((test) => test(name));
}
