import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { Exit, UserError } from "../errors.ts";
import { replaceFile } from "../text/files.ts";
import { type Edited, withoutHooks } from "./settings-edit.ts";

/** A settings file as it is. */
export interface SettingsFile {
  path: string;
  /** `null` where there is none. */
  content: string | null;
}

const BOM = "\ufeff";

/** Throws for a file that is there but cannot be read as text. */
export function readSettings(path: string): SettingsFile {
  const bytes = readBytes(path);
  if (bytes === null) return { path, content: null };
  const content = bytes.toString("utf8");
  if (Buffer.from(content).equals(bytes)) return { path, content };
  throw trouble("settings-not-text", `${path} is not UTF-8 text`, "mend it first; it was left as it is");
}

/** Edits a file's text and leaves a byte order mark where it was. A file that is not there counts as an empty one. */
export function editSettings({ content }: SettingsFile, edit: (text: string) => Edited): Edited {
  if (content?.startsWith(BOM) !== true) return edit(content ?? "\n");
  const edited = edit(content.slice(BOM.length));
  return edited.kind === "edited" ? { kind: "edited", text: BOM + edited.text } : edited;
}

/**
 * What a file is to be after `uninstall`: if nobody changed it since we wrote it, byte for byte what it was
 * before we first did; else itself without our hooks. `null`: no file.
 */
export function uninstalled(file: SettingsFile, state: string): Edited | null {
  if (file.content === null) return null;
  const record = readRecord(file.path, state);
  if (record === null || record.written !== file.content) return editSettings(file, withoutHooks);
  return record.original === null ? null : { kind: "edited", text: record.original };
}

/**
 * Puts new content into the place of `file` (`null`: removes it) and returns where the copy of the old one
 * is, `null` where there was none. Keeps the file's mode, and a symbolic link as what it is.
 *
 * Throws for a file that is read-only or was changed since it was read.
 */
export function writeSettings(file: SettingsFile, content: string | null, state: string): string | null {
  const place = writablePlace(file);
  const backup = file.content === null ? null : keepCopy(file.path, file.content, state);
  if (content === null) rmSync(place);
  else replaceFile(place, content);
  keepRecord(file, content, state);
  return backup;
}

const Record = z.object({
  /** The file before we first wrote to it, without hooks of ours; `null`: there was none. */
  original: z.string().nullable(),
  /** As we left it. */
  written: z.string(),
});

function readRecord(path: string, state: string): z.output<typeof Record> | null {
  try {
    return Record.parse(JSON.parse(readFileSync(recordPath(path, state), "utf8")));
  } catch {
    return null; // we never wrote to it, or nobody knows any more
  }
}

function keepRecord(file: SettingsFile, content: string | null, state: string): void {
  const path = recordPath(file.path, state);
  if (content === null || content === originalOf(file, state)) return rmSync(path, { force: true });
  replaceFile(path, JSON.stringify({ original: originalOf(file, state), written: content }));
}

function originalOf(file: SettingsFile, state: string): string | null {
  const record = readRecord(file.path, state);
  if (record !== null && record.written === file.content) return record.original;
  const without = file.content === null ? null : editSettings(file, withoutHooks);
  return without?.kind === "edited" ? without.text : file.content;
}

function recordPath(path: string, state: string): string {
  return join(state, "settings", `${Bun.hash(path).toString(16)}.json`);
}

function keepCopy(path: string, content: string, state: string): string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const copy = join(state, "backups", `${time}-${basename(path)}`);
  replaceFile(copy, content);
  return copy;
}

/** The file behind a link, checked: replacing a file needs no right to write to it, so its mode must be asked. */
function writablePlace({ path, content }: SettingsFile): string {
  if (content === null) {
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }
  const place = realpathSync(path);
  const readOnly = trouble(
    "settings-read-only",
    `${path} is read-only`,
    "make it writable, or edit it yourself",
  );
  if ((statSync(place).mode & 0o200) === 0) throw readOnly;
  try {
    accessSync(place, constants.W_OK);
    accessSync(dirname(place), constants.W_OK);
  } catch {
    throw readOnly;
  }
  if (readFileSync(place, "utf8") === content) return place;
  throw trouble("settings-changed", `${path} was changed meanwhile`, "run it again");
}

function readBytes(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (cause) {
    const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    if (!missing) throw trouble("settings-unreadable", `cannot read ${path}`, "check its permissions", cause);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    throw trouble(
      "settings-dangling",
      `${path} is a link to a file that is gone`,
      "mend the link first",
      cause,
    );
  }
}

function trouble(code: string, message: string, hint: string, cause?: unknown): UserError {
  return new UserError({ code, message, hint, exit: Exit.environment, cause });
}
