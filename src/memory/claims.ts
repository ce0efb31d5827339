import { readdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { visit } from "unist-util-visit";
import { type Environment, expandHome } from "../paths.ts";
import type { MemoryFiles } from "./directory.ts";
import { inlineOf } from "../text/markdown.ts";
import type { Outline } from "./outline.ts";

/** What an index claims about the project, checked as far as code can tell. */
export interface Claim {
  kind: "path" | "count";
  line: number;
  message: string;
}

export interface ProjectFiles {
  root: string;
  /** Every path below it, with `/`; folders too. */
  paths: ReadonlySet<string>;
  /** The last part of each path. */
  names: ReadonlySet<string>;
  /** The project has more files than are looked at: what is missing cannot be told. */
  partial: boolean;
}

/** Folders that hold nothing a person would write a note about. */
const PASSED_OVER = new Set([
  ".git",
  "node_modules",
  "target",
  "dist",
  ".venv",
  "venv",
  "__pycache__",
  ".next",
]);
const MOST_PATHS = 100_000;

/** Lists a project's files, folders of other programs' output left out. */
export function listProject(root: string): ProjectFiles {
  const paths = new Set<string>();
  const queue = [""];
  for (const folder of queue) {
    if (paths.size > MOST_PATHS) break;
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      paths.add(path);
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) queue.push(path);
    }
  }
  const names = new Set(Array.from(paths, (path) => path.slice(path.lastIndexOf("/") + 1)));
  return { root, paths, names, partial: paths.size > MOST_PATHS };
}

/** Claims of an index that do not hold, or that nobody can tell. */
export function checkClaims(
  { body, root, headLines }: Outline,
  { project, memory, env }: { project: ProjectFiles; memory: MemoryFiles; env: Environment },
): Claim[] {
  const claims: Claim[] = [];
  visit(root, ["paragraph", "tableRow", "heading"], (node) => {
    const source = body.slice(node.position?.start.offset, node.position?.end.offset);
    const line = headLines + (node.position?.start.line ?? 1);
    const { text, code } = inlineOf(source, true);
    for (const literal of code) {
      const path = pathIn(literal);
      if (path === null || isThere(path, { project, memory, env })) continue;
      const above = source.slice(0, Math.max(0, source.indexOf(literal))).split("\n").length - 1;
      claims.push({ kind: "path", line: line + above, message: `\`${literal}\` is not in the project` });
    }
    claims.push(...countsIn(text, project).map((message) => ({ kind: "count" as const, line, message })));
  });
  return claims;
}

interface Known {
  project: ProjectFiles;
  memory: MemoryFiles;
  env: Environment;
}

/** Endings of files that notes speak of; without one, only a path with a folder in it is taken for a path. */
const ENDINGS =
  "ts|tsx|js|jsx|mjs|cjs|py|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|lua|sh|bash|zsh|sql|md|mdx|json|jsonc|yml|yaml|toml|ini|cfg|conf|css|scss|html|vue|svelte|proto|graphql|tf|lock|txt|csv|xml|gradle|ipynb|R|r";
const FILE = new RegExp(`^(?:[\\w@.()[\\]~-]+/)*[\\w@.()[\\]-]*\\.(?:${ENDINGS})$`);
const FOLDER = /^(?:[\w@.~-]+\/)+$/;
/** Without a folder, `a.b.c` is more likely a field than a C file. */
const FIELD = /^[^/]+\.[a-zA-Z]$/;
/** Names of programs that look like files. */
const PRODUCTS =
  /^(?:node|next|vue|nuxt|express|three|d3|react|ember|backbone|socket|chart|moment|alpine|discord)\.js$/i;

/** The path that inline code names, `null` where it may as well be something else. */
function pathIn(code: string): string | null {
  const path = code.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, "").replace(/^\.\//, "");
  if (
    PRODUCTS.test(path) ||
    FIELD.test(path) ||
    /^(?:https?:|www\.|@)/.test(path) ||
    /^\.[a-z]+$/i.test(path)
  )
    return null;
  return FILE.test(path) || FOLDER.test(path) ? path : null;
}

function isThere(path: string, { project, memory, env }: Known): boolean {
  const bare = path.replace(/\/$/, "");
  if (/^[~/]/.test(path)) return isAbsolutePathThere(bare, env);
  if (project.paths.has(bare) || memory.files.has(bare) || memory.others.has(bare)) return true;
  if (statSync(join(project.root, bare), { throwIfNoEntry: false }) !== undefined) return true;
  if (project.partial) return true;
  if (!bare.includes("/")) return project.names.has(bare);
  // notes leave out the folders that everybody knows
  const suffix = `/${bare}`;
  for (const known of project.paths) if (known.endsWith(suffix)) return true;
  // a first folder that the project has nowhere: another repository, a branch, a media type
  return !project.names.has(bare.slice(0, bare.indexOf("/")));
}

/** `/api/users` is a route as often as a path: only what begins like a disk's own folders is looked at. */
function isAbsolutePathThere(path: string, env: Environment): boolean {
  const full = expandHome(path, env);
  if (!isAbsolute(full)) return true;
  const top = full.split("/").slice(0, 3).join("/");
  return (
    statSync(top, { throwIfNoEntry: false }) === undefined ||
    statSync(full, { throwIfNoEntry: false }) !== undefined
  );
}

const COUNT =
  /(?<![\w.,/-])(\d{1,5}) (?:[\p{L}-]+ )?(\p{L}+s)\b[^.;\d]{0,20}?\b(?:in|under|inside) ([\w@.-]+(?:\/[\w@.-]+)*\/?)/gu;

/** "12 scripts in `tools/`": counted where the folder is there; what else a noun may mean cannot be told. */
function countsIn(text: string, project: ProjectFiles): string[] {
  return Array.from(text.matchAll(COUNT)).flatMap(([, number = "", noun = "", written = ""]) => {
    const folder = written.replace(/[/.]+$/, "");
    const counts = countUnder(folder, project);
    if (counts === null || project.partial || counts.all.includes(Number(number))) return [];
    const said = `says ${number} ${noun} in \`${written}\``;
    return noun === "files"
      ? [
          `${said}; there ${counts.direct === 1 ? "is" : "are"} ${counts.direct}${counts.deep === counts.direct ? "" : `, ${counts.deep} with those in its folders`}`,
        ]
      : [
          `${said}; it holds ${counts.direct} ${counts.direct === 1 ? "file" : "files"} (unverified: what counts as ${noun} cannot be told)`,
        ];
  });
}

function countUnder(
  folder: string,
  { root, paths }: ProjectFiles,
): { direct: number; deep: number; all: number[] } | null {
  if (!paths.has(folder)) return null;
  const prefix = `${folder}/`;
  const below = [...paths].filter((path) => path.startsWith(prefix));
  const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
  const files = below.filter(isFile);
  const direct = files.filter((path) => !path.slice(prefix.length).includes("/")).length;
  const entries = below.filter((path) => !path.slice(prefix.length).includes("/")).length;
  const byEnding = Map.groupBy(files, (path) => path.slice(path.lastIndexOf(".")));
  const each = [...byEnding.values()].flatMap((group) => [
    group.length,
    group.filter((path) => !path.slice(prefix.length).includes("/")).length,
  ]);
  return { direct, deep: files.length, all: [direct, files.length, entries, entries - direct, ...each] };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // a folder that is not ours to read says nothing about the claim
  }
}
