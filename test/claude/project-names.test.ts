import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { projectNames } from "../../src/claude/project-names.ts";

/** Without it there is nothing to compare with; CI has it. */
const HAS_GIT = Bun.which("git") !== null;
const home = realpathSync(mkdtempSync(join(tmpdir(), "names-")));
const env = { HOME: home };
const git = (folder: string, ...words: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
    cwd: join(home, folder),
    env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
  }).trim();
const folder = (path: string) => void mkdirSync(join(home, path), { recursive: true });

for (const path of [
  "repo/packages/api",
  "plain/sub",
  "My Repo",
  "sup",
  "lib",
  "layout/docs",
  "fake/.git",
  "broken",
])
  folder(path);
if (HAS_GIT) makeRepositories();
afterAll(() => rmSync(home, { recursive: true }));

function makeRepositories(): void {
  for (const repo of ["repo", "My Repo", "sup", "lib"]) {
    git(repo, "init", "-q");
    git(repo, "commit", "-q", "--allow-empty", "-m", "first");
  }
  git("repo", "worktree", "add", "-q", "../wt-feature");
  git("repo", "worktree", "add", "-q", ".worktrees/inner");
  git("repo", "worktree", "add", "-q", ".claude/worktrees/agent-x");
  folder("wt-feature/src");
  symlinkSync(join(home, "repo"), join(home, "link"));
  symlinkSync(join(home, "repo/packages"), join(home, "deep-link"));
  // What `submodule add` leaves: git runs that one as a shell script, which needs more than git.
  folder("sup/.git/modules");
  git("sup", "clone", "-q", "--separate-git-dir", ".git/modules/vendor", "../lib", "vendor");
  git(".", "clone", "-q", "--bare", "repo", "bare.git");
  git("bare.git", "worktree", "add", "-q", "../of-bare", "-b", "b");
  git(".", "clone", "-q", "--bare", "repo", "layout/.bare");
  writeFileSync(join(home, "layout/.git"), "gitdir: ./.bare\n");
  writeFileSync(join(home, "broken/.git"), "gitdir: /nowhere/at/all\n");
  git(".", "clone", "-q", "--bare", "repo", "repo/nested.git");
}

const ONE = (name: string) => [name];
const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ["a repository", "repo", ONE("repo")],
  ["a folder inside", "repo/packages/api", ONE("repo")],
  ["a link to a repository", "link", ONE("repo")],
  ["a link into a repository", "deep-link/api", ONE("repo")],
  ["a worktree beside", "wt-feature", ["repo", "repo/wt-feature"]],
  ["a folder in a worktree", "wt-feature/src", ["repo", "repo/wt-feature"]],
  ["a worktree inside", "repo/.worktrees/inner", ["repo", "repo/inner"]],
  ["an agent's worktree", "repo/.claude/worktrees/agent-x", ["repo", "repo/agent-x"]],
  ["a folder without git", "plain", ONE("plain")],
  ["a folder in a folder without git", "plain/sub", ONE("sub")],
  ["a name with a blank", "My Repo", ONE("My Repo")],
  ["a submodule", "sup/vendor", ONE("vendor")],
  ["a bare repository", "bare.git", ONE("bare.git")],
  ["a folder of a bare repository", "bare.git/refs", ONE("refs")],
  ["a worktree of a bare repository", "of-bare", ONE("of-bare")],
  ["a bare repository inside a work tree", "repo/nested.git", ONE("nested.git")],
  ["git's own folder", "repo/.git/refs", ONE("refs")],
  ["a hidden bare repository", "layout", ONE("layout")],
  ["beside a hidden bare repository", "layout/docs", ONE("docs")],
  ["a .git folder that is no repository", "fake", ONE("fake")],
  ["a .git file that leads nowhere", "broken", ONE("broken")],
];

describe.skipIf(!HAS_GIT)("a folder's projects are claude-mem's", () => {
  test.each(CASES)("%s", (_, path, all) =>
    expect(projectNames(join(home, path), env)).toEqual({ primary: all.at(-1), all }),
  );

  test.each(CASES)("%s: the last part is what git itself says", (_, path, all) => {
    expect(all.at(-1)?.split("/").at(-1)).toBe(basename(topLevel(path) ?? path));
  });
});

function topLevel(path: string): string | null {
  try {
    return git(path, "rev-parse", "--show-toplevel");
  } catch {
    return null;
  }
}

describe("places without a name of their own", () => {
  test.each([
    ["the home folder", home, basename(home)],
    ["~", "~", basename(home)],
    ["below ~", "~/plain/sub", "sub"],
    ["a folder that is gone", join(home, "gone"), "gone"],
    ["the root", "/", "unknown-project"],
    ["nothing", "", "unknown-project"],
    ["blanks", "  ", "unknown-project"],
    ["a Windows drive", "c:\\", "drive-C"],
  ])("%s", (_, cwd, name) => expect(projectNames(cwd, env)).toEqual({ primary: name, all: [name] }));
});

test.skipIf(!HAS_GIT)("CLAUDE_PROJECT_DIR stands for the folder", () => {
  const names = projectNames(join(home, "plain"), { ...env, CLAUDE_PROJECT_DIR: join(home, "wt-feature") });
  expect(names.primary).toBe("repo/wt-feature");
});
