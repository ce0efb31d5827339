import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, normalize, parse, resolve } from "node:path";
import { type Environment, expandHome, homeDirectory } from "../paths.ts";
import { projectFolder } from "./project-names.ts";

/** Who decided where a memory directory is; later ones lose to earlier ones, as in Claude Code. */
export type MemoryScope = "argument" | "environment" | "policy" | "local" | "project" | "user" | "default";

export interface MemoryPlace {
  directory: string;
  scope: MemoryScope;
  /** The settings file or variable that named it; `null` for an argument and for the default. */
  from: string | null;
  /** The folder whose memory this is, `null` where a directory was named without one. */
  project: string | null;
  /** Settings that name another directory but did not win, with the reason. */
  passedOver: readonly { scope: MemoryScope; from: string; directory: string; reason: string }[];
  /** The setting or variable that keeps Claude Code from loading any memory here. */
  disabledBy: string | null;
}

/**
 * The memory directory that Claude Code uses for a session in `cwd`, by its rules (measured on 2.1.332):
 * one directory for a repository with all its worktrees, moved by `autoMemoryDirectory` in the first of
 * policy, local, project and user settings that has it. A value that is not absolute after `~` counts as
 * set but leads to the default.
 */
export function memoryPlace(cwd: string, env: Environment): MemoryPlace {
  const project = memoryRoot(cwd, env);
  const config = claudeConfigDirectory(env);
  const standard = join(config, "projects", projectSlug(project), "memory");
  const settings = readScopes(env["CLAUDE_PROJECT_DIR"] || cwd, project, config);
  const disabledBy = disabling(settings, env);
  const override = env["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"];
  if (override !== undefined && override !== "") {
    const from = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
    return { directory: override, scope: "environment", from, project, passedOver: [], disabledBy };
  }
  const named = settings.flatMap(({ scope, from, values }) => {
    const value = values["autoMemoryDirectory"];
    return typeof value === "string" ? [{ scope, from, directory: value }] : [];
  });
  const winner = named[0];
  const directory = winner === undefined ? null : usable(winner.directory, env);
  const losers = directory === null ? named : named.slice(1);
  return {
    directory: directory ?? standard,
    scope: directory === null ? "default" : (winner?.scope ?? "default"),
    from: directory === null ? null : (winner?.from ?? null),
    project,
    passedOver: losers.map((loser) => ({
      ...loser,
      reason: loser === winner ? "not an absolute path" : `${winner?.scope ?? ""} settings come first`,
    })),
    disabledBy,
  };
}

export function claudeConfigDirectory(env: Environment): string {
  return env["CLAUDE_CONFIG_DIR"] || join(homeDirectory(env), ".claude");
}

/** A folder's name under `projects/`: everything but letters and digits as `-`, long ones cut and told apart by a hash. */
export function projectSlug(folder: string): string {
  const slug = folder.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return slug.length <= SLUG_UNITS ? slug : `${slug.slice(0, SLUG_UNITS)}-${pathHash(folder)}`;
}

const SLUG_UNITS = 200;

/** Other stores that are this project's under an older slug: the names differ in `_`, `.` and `-` alone. */
export function siblingStores(project: string, env: Environment): string[] {
  const projects = join(claudeConfigDirectory(env), "projects");
  const own = projectSlug(project);
  return namesIn(projects)
    .filter((name) => name !== own && name.replaceAll(/[^a-zA-Z0-9]/g, "-") === own)
    .map((name) => join(projects, name, "memory"))
    .filter((directory) => namesIn(directory).some((name) => name.endsWith(".md")));
}

export interface AgentMemory {
  agent: string;
  scope: "user" | "project" | "local";
  directory: string;
}

/** Memories of subagents that have one (`memory:` in their front matter): each with caps of its own. */
export function agentMemories(project: string, env: Environment): AgentMemory[] {
  const roots: [AgentMemory["scope"], string][] = [
    ["user", join(claudeConfigDirectory(env), "agent-memory")],
    ["project", join(project, ".claude", "agent-memory")],
    ["local", join(project, ".claude", "agent-memory-local")],
  ];
  return roots.flatMap(([scope, root]) =>
    namesIn(root)
      .map((agent) => ({ agent, scope, directory: join(root, agent) }))
      .filter(({ directory }) => existsSync(join(directory, "MEMORY.md"))),
  );
}

/** The root of the work tree, in a linked worktree the parent's; a bare repository's worktrees share its own folder. */
function memoryRoot(cwd: string, env: Environment): string {
  const folder = real(projectFolder(cwd, env));
  const gitdir = /^gitdir:\s*(.+?)\s*$/m.exec(read(join(folder, ".git")) ?? "")?.[1];
  if (gitdir === undefined) return folder;
  const common = read(join(resolve(folder, gitdir), "commondir"))?.trim();
  return common === undefined ? folder : real(resolve(folder, gitdir, common));
}

/** The settings files that decide for a session in `folder`, whether they are there or not. */
export function memorySettingsFiles(folder: string, env: Environment): string[] {
  return scopeFiles(folder, memoryRoot(folder, env), claudeConfigDirectory(env)).map(([, path]) => path);
}

interface ScopeSettings {
  scope: MemoryScope;
  from: string;
  values: Record<string, unknown>;
}

/** Project settings are those of the folder itself, local ones those of the repository. */
function scopeFiles(cwd: string, project: string, config: string): [MemoryScope, string][] {
  return [
    ["policy", join(policyFolder(), "managed-settings.json")],
    ["local", join(project, ".claude", "settings.local.json")],
    ["project", join(cwd, ".claude", "settings.json")],
    ["user", join(config, "settings.json")],
  ];
}

function readScopes(cwd: string, project: string, config: string): ScopeSettings[] {
  return scopeFiles(cwd, project, config).flatMap(([scope, from]) => {
    const values = readObject(from);
    return values === null ? [] : [{ scope, from, values }];
  });
}

function policyFolder(): string {
  if (process.platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (process.platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

function disabling(settings: readonly ScopeSettings[], env: Environment): string | null {
  const variable = env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"];
  if (variable !== undefined && /^(1|true|yes|on)$/i.test(variable)) return "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
  const first = settings.find(({ values }) => typeof values["autoMemoryEnabled"] === "boolean");
  return first?.values["autoMemoryEnabled"] === false ? first.from : null;
}

/** `null` for what Claude Code does not take: a relative path, or a whole disk or home. */
function usable(value: string, env: Environment): string | null {
  const path = normalize(expandHome(value, env)).replace(/(?<=.)[/\\]+$/, "");
  if (!isAbsolute(path) || path === parse(path).root || path === homeDirectory(env)) return null;
  return path;
}

/** Java's string hash, in base 36: what Claude Code makes a long folder's slug unique with. */
function pathHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = ((hash << 5) - hash + text.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(36);
}

function readObject(path: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(read(path) ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null; // Claude Code passes over a settings file that is not JSON
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function read(path: string): string | null {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : null;
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
