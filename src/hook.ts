#!/usr/bin/env bun
import type { Answer, Kept } from "./claude/answers.ts";
import type { Environment } from "./paths.ts";

/** Set for sessions that a memory tool started itself, ours or others': nothing of theirs is worth remembering. */
const INTERNAL = ["PERSISTED_MEMORY_INTERNAL", "CLAUDE_MEM_INTERNAL", "CLAUDE_INVOKED_BY"];

/** What else an answer depends on, besides the folder and the files that it was made from. */
const DECIDING = [
  "HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "DIGEST_DB",
  "BLOCK_BUDGET",
  "SESSION_MESSAGE",
  "KNOWLEDGE_DIR",
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
  "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
  "MAX_LINES",
  "ARCHIVE_THRESHOLD_DAYS",
  "MEMORY_AUTO_ARCHIVE",
];

/** So many answers are kept; the next one takes another's place. */
const PLACES = 256;
/** Claude Code closes stdin at once. Whoever leaves it open must not hold up a session. */
const STDIN_MS = 2000;

if (import.meta.main) {
  await respond(process.argv[2] ?? "", process.argv[3] === "--plugin", process.env).finally(() =>
    process.exit(0),
  ); // even if stdin was left open
}

/**
 * Prints what the hook printed before, while nothing of what that came from has changed; else calls the
 * hook. A session waits for this, so it loads nothing and is short: one import more takes a tenth of the time
 * that Bun itself needs to start, node:fs as much as all of it.
 */
async function respond(name: string, isPlugin: boolean, env: Environment): Promise<void> {
  if (INTERNAL.some((guard) => env[guard])) return;
  const stdin = await readStdin();
  const folder = env["CLAUDE_PROJECT_DIR"] || cwdIn(stdin);
  const question = folder
    ? JSON.stringify([import.meta.path, name, isPlugin, folder, ...DECIDING.map((by) => env[by])])
    : null;
  // as resolvePaths has it
  const state = env["XDG_STATE_HOME"] || `${env["HOME"] || env["USERPROFILE"]}/.local/state`;
  const place = `${state}/persisted-memory/answers/${Bun.hash.crc32(question ?? "") % PLACES}.json`;
  const kept = question === null ? null : await recall(place, question);
  if (kept !== null) return print(kept.answer);
  const { runHook } = await import("./hooks/run.ts");
  await runHook({ name, isPlugin, stdin, env, question, place, stamp, print });
}

async function readStdin(): Promise<string> {
  const late = new Promise<string>((resolve) => void setTimeout(resolve, STDIN_MS, "").unref());
  return Promise.race([Bun.stdin.text(), late]).catch(() => "");
}

function cwdIn(stdin: string): unknown {
  try {
    return JSON.parse(stdin).cwd;
  } catch {
    return null;
  }
}

async function recall(place: string, question: string): Promise<Kept | null> {
  try {
    const kept: Kept = await Bun.file(place).json();
    if (kept.question !== question || (kept.until !== null && Date.now() >= kept.until)) return null;
    for (const path in kept.stamps) if (stamp(path) !== kept.stamps[path]) return null;
    return kept;
  } catch {
    return null; // none, or none of this version
  }
}

function stamp(path: string): string {
  const { size, lastModified } = Bun.file(path);
  return size === 0 ? "none" : `${size} ${lastModified}`;
}

/** Who has gone away while we looked needs no answer. */
async function print(answer: Answer): Promise<void> {
  if (answer !== null) await Bun.write(Bun.stdout, JSON.stringify(answer)).catch(() => 0);
}
