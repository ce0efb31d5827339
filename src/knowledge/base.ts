import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Environment, expandHome } from "../paths.ts";

/** Where one knowledge base lives. */
export interface Base {
  /** Holds `daily/`, `knowledge/`, `reports/` and `AGENTS.md`; may be somebody's Obsidian vault or a folder under git. */
  root: string;
  daily: string;
  knowledge: string;
  reports: string;
  /** The compiler's specification, the owner's to change. */
  specification: string;
}

export interface ChosenBase {
  base: Base;
  /** The project whose own base it is; `null` for a folder of the user's choice. */
  project: string | null;
  /** Files whose changing may lead to another choice. */
  files: readonly string[];
}

export function baseAt(root: string): Base {
  return {
    root,
    daily: join(root, "daily"),
    knowledge: join(root, "knowledge"),
    reports: join(root, "reports"),
    specification: join(root, "AGENTS.md"),
  };
}

/**
 * `KNOWLEDGE_DIR` where it is set, else the project's own base in the data directory: a folder with the
 * project's name, or with a hash behind it where another project of that name, still there, has the
 * plain one. A project that moved keeps its base. Light: hooks call it.
 */
export function chooseBase(choice: {
  /** `KNOWLEDGE_DIR` as written; relative to `cwd`. */
  configured: string | null;
  /** The data directory. */
  data: string;
  /** The project's folder. */
  folder: string;
  cwd: string;
  env: Environment;
}): ChosenBase {
  const { configured, data, folder, cwd, env } = choice;
  if (configured !== null)
    return { base: baseAt(resolve(cwd, expandHome(configured, env))), project: null, files: [] };
  const name =
    basename(folder)
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^\.+/, "") || "project";
  const plain = join(data, "knowledge", name);
  const owner = readOwner(plain);
  const free = owner === null || owner === folder || !existsSync(owner);
  const root = free
    ? plain
    : `${plain}-${new Bun.CryptoHasher("sha256").update(folder).digest("hex").slice(0, 8)}`;
  return { base: baseAt(root), project: folder, files: [ownerFile(plain)] };
}

/** Says whose base a folder is: two repositories may have one name. */
export function ownerFile(root: string): string {
  return join(root, ".project");
}

export function readOwner(root: string): string | null {
  try {
    return readFileSync(ownerFile(root), "utf8").trim();
  } catch {
    return null;
  }
}
