import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gitFiles } from "../claude/git-files.ts";
import { memoryPlace, memorySettingsFiles } from "../claude/memory-directories.ts";
import { WARN_USAGE, countActiveLines, usageOf } from "../memory/caps.ts";
import { memoryStateFolder } from "../memory/state-folder.ts";
import { type Environment, resolvePaths } from "../paths.ts";
import type { Hook } from "./hook.ts";
import { type HookSettings, readHookSettings } from "./settings.ts";

/**
 * At every prompt: one look at the index's size. Over the trigger it archives, where the person chose that,
 * or says so, once a session. What takes longer (a Markdown parser, the topic files) is loaded only then,
 * and not again on that day for an index that has not changed.
 */
export const hook: Hook = async (input, env, replay) => {
  const { directory, disabledBy } = memoryPlace(input.cwd, env);
  const stamps = replay.stamp(decidingFiles(directory, input.cwd, env));
  const index = disabledBy === null ? readIndex(directory) : null;
  const settings = readHookSettings(env);
  if (index === null || !mayBeOver(index, settings)) {
    replay.keep(null, { stamps });
    return null;
  }
  const state = resolvePaths(env).state;
  const notice = join(memoryStateFolder(state, directory), "notice");
  const session = input.sessionId ?? "unknown";
  if (!settings.memoryAutoArchive && readText(notice) === session) return null;

  const now = new Date();
  const { careForIndex } = await import("../memory/care.ts");
  const words = await careForIndex({ directory, state, now, settings });
  if (words === null) {
    // entries grow old by the day
    replay.keep(null, { stamps, until: new Date(now).setHours(24, 0, 0, 0) });
    return null;
  }
  const { replaceFile } = await import("../text/files.ts");
  replaceFile(notice, session);
  return { systemMessage: words };
};

function decidingFiles(directory: string, cwd: string, env: Environment): string[] {
  const folder = env["CLAUDE_PROJECT_DIR"] || cwd;
  return [
    import.meta.path,
    join(directory, "MEMORY.md"),
    join(resolvePaths(env).config, "config.json"),
    ...memorySettingsFiles(folder, env),
    ...gitFiles(folder),
  ];
}

/** From above: front matter and comments do not count, but to know them takes a parser. */
function mayBeOver(index: string, { maxLines }: HookSettings): boolean {
  const text = index.trim();
  return countActiveLines(text) > maxLines || usageOf(text.split("\n").length, text.length) >= WARN_USAGE;
}

function readIndex(directory: string): string | null {
  return readText(join(directory, "MEMORY.md"));
}

/** `null`: not there, or not ours to read. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
