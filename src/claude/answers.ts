import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Environment } from "../paths.ts";

/** What a hook prints on stdout as JSON; `null` for nothing. */
export type Answer = Readonly<Record<string, unknown>> | null;

/** By path: size and time of the file. */
export type Stamps = Readonly<Record<string, string>>;

/** An answer that is kept. */
export interface Kept {
  /** Everything that the answer depends on besides files and time. */
  question: string;
  stamps: Stamps;
  until: number | null;
  answer: Answer;
}

/** The clock's tick and a little more: what changed within it counts as still changing. */
const SETTLE_MS = 150;

/** The newest answers are of the folders that somebody works in; the others answer anew when asked. */
const MOST_ASKED = 20;

/**
 * Lets the hooks whose kept answers came from `place`, a file or what is below a folder, answer anew, so that whoever changed
 * those files waits for it and not the next session. `state` is the state directory.
 */
export async function refreshAnswers(state: string, place: string, env: Environment): Promise<void> {
  const calls = keptAnswers(join(state, "answers"))
    .flatMap(({ question, stamps }) =>
      Object.keys(stamps).some((path) => path === place || path.startsWith(`${place}${sep}`))
        ? (readCall(question) ?? [])
        : [],
    )
    .slice(0, MOST_ASKED);
  if (calls.length === 0) return;
  await Bun.sleep(SETTLE_MS);
  for (const { script, name, isPlugin, project } of calls) {
    if (!existsSync(script) || !existsSync(project)) continue;
    const child = Bun.spawn(
      [process.execPath, ...process.execArgv, script, name, ...(isPlugin ? ["--plugin"] : [])],
      {
        cwd: project,
        env: { ...env, CLAUDE_PROJECT_DIR: project },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
        windowsHide: true,
      },
    );
    await child.exited;
  }
}

interface KeptCall {
  script: string;
  name: string;
  isPlugin: boolean;
  project: string;
}

/** The beginning of a question says which hook was asked for which folder. */
function readCall(question: string): KeptCall | null {
  const parts: unknown = JSON.parse(question);
  if (!Array.isArray(parts)) return null;
  const [script, name, isPlugin, project] = parts;
  if (typeof script !== "string" || typeof name !== "string" || typeof project !== "string") return null;
  return { script, name, isPlugin: isPlugin === true, project };
}

/** Newest first. */
function keptAnswers(folder: string): Kept[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.at - a.at)
    .flatMap(({ name }) => {
      try {
        const kept: Kept = JSON.parse(readFileSync(join(folder, name), "utf8"));
        return typeof kept.question === "string" && typeof kept.stamps === "object" ? [kept] : [];
      } catch {
        return []; // just being replaced
      }
    });
}
