import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Environment, expandHome } from "../paths.ts";

export interface ProjectNames {
  /** The most specific name: `repo`, in a worktree `repo/worktree`. */
  primary: string;
  /** Every name that claude-mem reads here, the parent's before the worktree's own. */
  all: readonly string[];
}

const NAMELESS = "unknown-project";

/**
 * The projects that claude-mem files a folder under, by its rules: the basename of the git work tree's
 * root, else of the folder; in a linked worktree the parent's name as well. `CLAUDE_PROJECT_DIR`
 * stands for the folder where it is set, as in claude-mem. Never fails: a folder that is gone still
 * has a name.
 *
 * git's own answers, without its process, which would take longer than all the rest of a hook.
 */
export function projectNames(cwd: string, env: Environment): ProjectNames {
  const folder = expandHome(env["CLAUDE_PROJECT_DIR"] || cwd, env);
  const root = workTreeRoot(folder);
  const own = nameOf(root ?? folder);
  const parent = root === null ? null : parentOfWorktree(root);
  if (parent === null) return { primary: own, all: [own] };
  const primary = `${parent}/${own}`;
  return { primary, all: [parent, primary] };
}

/**
 * The folder whose memory a session belongs to: the work tree's root, in a linked worktree its parent's,
 * outside git the folder itself. By the same rules as the names.
 */
export function projectFolder(cwd: string, env: Environment): string {
  const folder = expandHome(env["CLAUDE_PROJECT_DIR"] || cwd, env);
  const root = workTreeRoot(folder);
  return root === null ? resolve(folder) : (parentFolder(root) ?? root);
}

function nameOf(folder: string): string {
  const drive = /^([a-z]):[\\/]*$/i.exec(folder)?.[1];
  if (drive !== undefined) return `drive-${drive.toUpperCase()}`;
  if (folder.trim() === "") return NAMELESS;
  return basename(folder) || NAMELESS;
}

/** What `git rev-parse --show-toplevel` prints in the folder, `null` where it fails. */
function workTreeRoot(folder: string): string | null {
  let at: string;
  try {
    if (folder.trim() === "") return null;
    at = realpathSync(folder); // git names the real folder, whatever link led there
    if (!statSync(at).isDirectory()) return null;
  } catch {
    return null;
  }
  for (;;) {
    const git = join(at, ".git");
    const kind = statSync(git, { throwIfNoEntry: false });
    if (kind?.isFile()) return hasWorkTree(pointedTo(git, at)) ? at : null;
    if (kind?.isDirectory() && isRepository(git)) return hasWorkTree(git) ? at : null;
    if (isRepository(at)) return null; // inside a bare repository, or inside `.git` itself
    const above = dirname(at);
    if (above === at) return null;
    at = above;
  }
}

/** A folder that git takes for a repository; a linked worktree's has no objects of its own. */
function isRepository(folder: string): boolean {
  const has = (name: string) => existsSync(join(folder, name));
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

function hasWorkTree(repository: string | null): boolean {
  if (repository === null || !isRepository(repository)) return false;
  if (existsSync(join(repository, "commondir"))) return true; // a linked worktree, of a bare repository too
  return !/^\s*bare\s*=\s*true\s*$/im.test(read(join(repository, "config")) ?? "");
}

function pointedTo(gitFile: string, folder: string): string | null {
  const target = gitdir(gitFile);
  return target === null ? null : resolve(folder, target);
}

/** Only repositories with a `.git` folder have named worktrees; those of a bare one go by their own name alone. */
function parentOfWorktree(root: string): string | null {
  const parent = parentFolder(root);
  return parent === null ? null : basename(parent);
}

function parentFolder(root: string): string | null {
  return /^(.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+$/.exec(gitdir(join(root, ".git")) ?? "")?.[1] ?? null;
}

function gitdir(gitFile: string): string | null {
  return /^gitdir:\s*(.+)$/.exec(read(gitFile)?.trim() ?? "")?.[1] ?? null;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // not there, a folder, or not ours to read
  }
}
