import { type Dirent, readFileSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { Exit, UserError } from "../errors.ts";
import { parseFrontMatter, splitFrontMatter } from "../text/markdown.ts";

export const INDEX = "MEMORY.md";
export const ARCHIVE = "archive.md";

/** A memory directory as it was read at one moment; paths are relative, with `/`. */
export interface MemoryFiles {
  directory: string;
  /** Every Markdown file, the index and archives too. */
  files: ReadonlyMap<string, MemoryFile>;
  /** Paths of everything else, files and folders. */
  others: ReadonlySet<string>;
}

export interface MemoryFile {
  path: string;
  bytes: Uint8Array;
  /** As Claude Code decodes it: bad bytes as U+FFFD, without a BOM. */
  text: string;
}

/** A directory of another program's that holds no memory. */
const NOT_MEMORY = new Set(["node_modules"]);

/** Reads a whole memory directory; hidden folders and links to folders are passed over. Throws where it cannot be read. */
export function readMemory(directory: string): MemoryFiles {
  const files = new Map<string, MemoryFile>();
  const others = new Set<string>();
  const visit = (folder: string) => {
    for (const entry of list(join(directory, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith(".") || NOT_MEMORY.has(entry.name)) continue;
      if (entry.isDirectory()) {
        others.add(path);
        visit(path);
      } else if (!/\.md$/i.test(entry.name) || !isFile(join(directory, path), entry)) {
        others.add(path);
      } else {
        const bytes = readOne(join(directory, path));
        files.set(path, { path, bytes, text: decode(bytes) });
      }
    }
  };
  visit("");
  return { directory, files, others };
}

/** The same directory with files as they would be after a change; `null` takes a file away. */
export function withFiles(memory: MemoryFiles, changed: ReadonlyMap<string, Uint8Array | null>): MemoryFiles {
  const files = new Map(memory.files);
  for (const [path, bytes] of changed) {
    if (bytes === null) files.delete(path);
    else files.set(path, { path, bytes, text: decode(bytes) });
  }
  return { ...memory, files };
}

export function decode(bytes: Uint8Array): string {
  return UTF8.decode(bytes);
}

const UTF8 = new TextDecoder("utf-8");

/** What a topic file says of itself. */
export interface TopicFacts {
  /** Fields of its front matter, with those under `metadata` beside them; `null` where it has none. */
  fields: Readonly<Record<string, unknown>> | null;
  body: string;
}

export function topicFacts(file: MemoryFile): TopicFacts {
  const known = FACTS.get(file) ?? readFacts(file);
  FACTS.set(file, known);
  return known;
}

const FACTS = new WeakMap<MemoryFile, TopicFacts>();

function readFacts(file: MemoryFile): TopicFacts {
  const { yaml, body } = splitFrontMatter(file.text);
  const fields = yaml === null ? null : parseFrontMatter(yaml);
  if (fields === null) return { fields: null, body };
  const nested = fields["metadata"];
  return { fields: typeof nested === "object" && nested !== null ? { ...nested, ...fields } : fields, body };
}

/** Whether a path is reached for its entries and not for what it says: our archive, or one made by hand. */
export function isArchive(path: string): boolean {
  return /(^|[/._-])archived?[^/]*\.md$/i.test(path);
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function isFile(path: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readOne(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): UserError {
  return new UserError({
    code: "memory-unreadable",
    message: `cannot read ${path.replaceAll(sep, "/")}`,
    hint: "check its permissions",
    exit: Exit.environment,
    cause,
  });
}
