import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Every hook that we have: the event of Claude Code that calls it and what it does there. */
export const HOOKS = {
  "session-start": { event: "SessionStart", timeout: 10, does: "puts the project's digests into a session" },
  "session-start-knowledge": {
    event: "SessionStart",
    timeout: 10,
    does: "puts the project's knowledge base into a session",
  },
  "session-end": {
    event: "SessionEnd",
    timeout: 10,
    does: "keeps the conversation for the knowledge base, and brings the digests up to date if that costs nothing",
  },
  "pre-compact": {
    event: "PreCompact",
    timeout: 10,
    does: "keeps the conversation for the knowledge base before it is compacted",
  },
  "user-prompt-submit": {
    event: "UserPromptSubmit",
    timeout: 5,
    does: "says when MEMORY.md needs care",
  },
  "post-tool-use": {
    event: "PostToolUse",
    matcher: "Write|Edit|MultiEdit",
    timeout: 5,
    does: "says when a note of MEMORY.md lost its last link",
  },
} as const satisfies Readonly<Record<string, HookKind>>;

interface HookKind {
  event: string;
  /** Of the tool's name; without one every such event calls the hook. */
  matcher?: string;
  /** Seconds. */
  timeout: number;
  does: string;
}

export type HookName = keyof typeof HOOKS;

export const HOOK_NAMES = Object.keys(HOOKS) as readonly HookName[];

/** An entry that is ours carries this word, wherever the program was when it was written. */
const MARK = "--persisted-memory";

/** Where Bun and the hooks' script are. */
export interface HookProgram {
  bun: string;
  script: string;
}

/**
 * The command line of a hook, for a shell: absolute and quoted, since hooks get neither the person's
 * PATH nor their folder. What stands in the project's `.env` and `bunfig.toml` must not get into it:
 * Bun would run a `preload` from there.
 */
export function hookCommand(name: HookName, { bun, script }: HookProgram): string {
  return `${quoted(bun)} --no-env-file --config=${quoted(neutralConfig(script))} ${quoted(script)} ${name} ${MARK}`;
}

/** Beside a script of the bundle: a `bunfig.toml` without anything in it. */
export function neutralConfig(script: string): string {
  return join(dirname(script), "bunfig.toml");
}

/** Our own hooks' script: in the bundle, which the plugin runs too. */
export function ownScript(): string {
  const inPlugin = join(OWN_FOLDER, "dist", "hook.js");
  return existsSync(inPlugin) ? inPlugin : join(OWN_FOLDER, "plugin", "dist", "hook.js");
}

/** The sources' folder, or the plugin's when this runs from the bundle. */
const OWN_FOLDER = join(import.meta.dirname, "..", "..");

/** Which hook of ours a command line is, also one written by hand or by an earlier place of ours; `null` for others. */
export function hookOf(command: string): HookName | null {
  const word = /[\\/](?:src[\\/]hook\.ts|dist[\\/]hook\.js)["']?\s+([\w-]+)/.exec(command)?.[1];
  const name = HOOK_NAMES.find((known) => known === word) ?? null;
  return command.includes("persisted-memory") || command.includes(OWN_FOLDER) ? name : null;
}

/** The events' hooks of a settings file, as far as they have the shape that Claude Code reads. */
export function hooksIn(settings: unknown): FoundHook[] {
  const events = field(settings, "hooks");
  if (typeof events !== "object" || events === null) return [];
  return Object.entries(events).flatMap(([event, groups]) =>
    list(groups).flatMap((group, groupAt) =>
      list(field(group, "hooks")).flatMap((hook, at) => {
        const command = field(hook, "command");
        if (typeof command !== "string") return [];
        return [{ event, command, name: hookOf(command), path: ["hooks", event, groupAt, "hooks", at] }];
      }),
    ),
  );
}

export interface FoundHook {
  event: string;
  command: string;
  /** `null`: somebody else's. */
  name: HookName | null;
  /** Where it stands in the file. */
  path: (string | number)[];
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The paths in a hook's command line, as its shell reads them; `null` where it names no script of ours. */
export function programOf(command: string): HookProgram | null {
  const quotes = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;
  const words = [...command.matchAll(quotes)].map(([, double, single, bare]) =>
    double === undefined ? (single ?? bare ?? "") : double.replaceAll(/\\(["$`\\])/g, "$1"),
  );
  const script = words.find((word) => /[\\/]hook\.(ts|js)$/.test(word));
  const [bun] = words;
  return bun === undefined || script === undefined ? null : { bun, script };
}

/** Forward slashes on Windows: every shell that may run the hook takes them, backslashes only some. */
function quoted(path: string): string {
  const plain = process.platform === "win32" ? path.replaceAll("\\", "/") : path;
  return `"${plain.replaceAll(/["$`\\]/g, (sign) => `\\${sign}`)}"`;
}
