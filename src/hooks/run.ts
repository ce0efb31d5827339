import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { Kept } from "../claude/answers.ts";
import type { Call, Hook, HookInput, Replay } from "./hook.ts";
import { isInstalled, settingsFiles } from "./installed.ts";
import { logHook } from "../text/hook-log.ts";

/** Every hook by the word it is called with; only that one's code is loaded. */
const HOOKS = new Map<string, () => Promise<{ hook: Hook }>>([
  ["session-start", () => import("./session-start.ts")],
  ["session-start-knowledge", () => import("./session-start-knowledge.ts")],
  ["session-end", () => import("./session-end.ts")],
  ["pre-compact", () => import("./pre-compact.ts")],
  ["user-prompt-submit", () => import("./user-prompt-submit.ts")],
  ["post-tool-use", () => import("./post-tool-use.ts")],
]);

/** Within one tick of its clock a file can change twice and look the same. */
const TICK_MS = 100;

/** Calls the hook and prints its answer as one JSON object. Whatever goes wrong is logged and ends here. */
export async function runHook(call: Call): Promise<void> {
  const failed = (error: unknown) => logHook(call.env, call.name, String(error));
  process.on("uncaughtException", failed);
  process.on("unhandledRejection", failed);
  try {
    const load = HOOKS.get(call.name);
    if (load === undefined) throw new Error(`no such hook: ${JSON.stringify(call.name)}`);
    const input = parseInput(call.stdin);
    const folder = call.env["CLAUDE_PROJECT_DIR"] || input.cwd;
    const settings = call.isPlugin ? settingsFiles(folder, call.env) : [];
    const replay = replayOf(call, settings, failed);
    // once is enough: a person who ran `install` beside the plugin gets everything from there
    if (isInstalled(call.name, settings)) return replay.keep(null, { stamps: {} });
    const { hook } = await load();
    await call.print(await hook(input, call.env, replay));
  } catch (error) {
    failed(error);
  }
}

/** Garbage gives an input without fields: a hook does then what it can. */
function parseInput(stdin: string): HookInput {
  const raw = parseObject(stdin);
  const string = (name: string) => {
    const value = raw[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  return {
    event: string("hook_event_name") ?? "",
    sessionId: string("session_id"),
    transcriptPath: string("transcript_path"),
    cwd: string("cwd") ?? process.cwd(),
    source: string("source"),
    raw,
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** `always`: files that every answer depends on. */
function replayOf(call: Call, always: readonly string[], failed: (error: unknown) => void): Replay {
  const stamp = (paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, call.stamp(path)]));
  const before = stamp(always);
  return {
    stamp,
    keep: (answer, from) => {
      const { question, place } = call;
      const stamps = { ...before, ...from.stamps };
      if (question === null) return;
      try {
        if (Object.keys(stamps).every(isSettled))
          keep(place, { question, stamps, until: from.until ?? null, answer });
      } catch (error) {
        failed(error); // a state folder that cannot be written to costs a session time, not its context
      }
    },
  };
}

/**
 * Whether a later look can tell that nothing was written since. Not so a path that is another file in another
 * folder; an empty file cannot be written to without growing.
 */
function isSettled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return isAbsolute(path) && (stat === undefined || stat.size === 0 || stat.mtimeMs < Date.now() - TICK_MS);
}

function keep(place: string, kept: Kept): void {
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  writeFileSync(`${place}.${process.pid}`, JSON.stringify(kept), { mode: 0o600 });
  renameSync(`${place}.${process.pid}`, place);
}
