import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../paths.ts";
import { type FoundHook, hooksIn } from "./hook-entries.ts";
import { claudeConfigDirectory } from "./memory-directories.ts";
import { SCOPES, settingsPath } from "./settings-places.ts";

/** A hook that Claude Code calls in a folder, and what wants it: a settings file or a plugin. */
export interface CalledHook extends FoundHook {
  /** The settings file, or the plugin's `hooks.json`. */
  from: string;
  /** `name@marketplace`; `null` for a settings file. */
  plugin: string | null;
}

/** Every hook of a folder's sessions: of the three settings files and of the plugins that these enable. */
export function calledHooks(folder: string, env: Environment): CalledHook[] {
  const files = SCOPES.map((scope) => settingsPath(scope, folder, env));
  const settings = files.map((file) => ({ file, content: readJson(file) }));
  const own = settings.flatMap(({ file, content }) =>
    hooksIn(content).map((hook) => ({ ...hook, from: file, plugin: null })),
  );
  return [...own, ...enabledPlugins(settings, env).flatMap(pluginHooks)];
}

/** Another memory tool that puts something into sessions. */
export interface MemoryTool {
  name: string;
  from: string;
  /** Of Claude Code: `SessionStart`, … */
  events: readonly string[];
}

/** Other people's memory tools among the hooks, as far as their names tell. */
export function otherMemoryTools(hooks: readonly CalledHook[]): MemoryTool[] {
  const injecting = hooks.filter(
    (hook) => INJECTING.includes(hook.event) && hook.name === null && !isOurPlugin(hook),
  );
  const named = injecting.flatMap((hook) => {
    const name = toolName(hook);
    return name === null ? [] : [{ ...hook, tool: name }];
  });
  return [...Map.groupBy(named, (hook) => `${hook.tool} ${hook.from}`).values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [
          {
            name: first.tool,
            from: first.from,
            events: [...new Set([first, ...more].map((hook) => hook.event))],
          },
        ],
  );
}

export function isOurPlugin(hook: CalledHook): boolean {
  return hook.plugin?.startsWith("persisted-memory@") === true;
}

/** What a hook prints at these becomes context. */
const INJECTING = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"];

/** A plugin goes by its own name; a command by the first word in it that sounds like memory. */
function toolName({ plugin, command }: CalledHook): string | null {
  const words = plugin === null ? (command.match(/[\w@.-]+/g) ?? []) : [plugin.split("@")[0] ?? plugin];
  const name = words.find((word) => MEMORY.test(word));
  return name === undefined ? null : name.replace(/\.\w+$/, "");
}

const MEMORY =
  /(^|[-_.])(mem|memory|memories|remember|recall|engram|mem0|basic-memory|supermemory|memsearch|hindsight|cognee|letta|zep|graphiti)\d*([-_.]|$)|claude-?mem/i;

interface EnabledPlugin {
  name: string;
  folder: string;
}

function enabledPlugins(settings: readonly { content: unknown }[], env: Environment): EnabledPlugin[] {
  // the settings nearest to the session decide, as in Claude Code
  const enabled = new Map(
    settings.flatMap(({ content }) => Object.entries(Object(field(content, "enabledPlugins")))),
  );
  const installed = field(
    readJson(join(claudeConfigDirectory(env), "plugins", "installed_plugins.json")),
    "plugins",
  );
  return [...enabled].flatMap(([name, on]) => {
    const copies: unknown = field(installed, name);
    const folder = Array.isArray(copies) ? field(copies.at(-1), "installPath") : undefined;
    return on === true && typeof folder === "string" ? [{ name, folder }] : [];
  });
}

function pluginHooks({ name, folder }: EnabledPlugin): CalledHook[] {
  const from = join(folder, "hooks", "hooks.json");
  return hooksIn(readJson(from)).map((hook) => ({ ...hook, from, plugin: name }));
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  } catch {
    return null; // none, or none that Claude Code could read
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
