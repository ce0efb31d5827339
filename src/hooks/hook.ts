import type { Answer, Stamps } from "../claude/answers.ts";
import type { Environment } from "../paths.ts";

/** What Claude Code tells a hook on stdin, as far as it can be trusted; every field may be missing there. */
export interface HookInput {
  /** `hook_event_name`, or empty. */
  event: string;
  sessionId: string | null;
  transcriptPath: string | null;
  /** The session's folder; the process's own where stdin has none. */
  cwd: string;
  /** SessionStart: `startup`, `resume`, `clear`, `compact`, `fork` or a word of a later version. */
  source: string | null;
  /** The whole object, unchecked. */
  raw: Readonly<Record<string, unknown>>;
}

/**
 * One hook. May throw: the reason goes to the log and the session goes on without us. Calls no model
 * and never waits for the network.
 */
export type Hook = (input: HookInput, env: Environment, replay: Replay) => Promise<Answer>;

/**
 * For hooks whose answer comes from files alone: while they stay as they are, the next session in the same folder
 * gets the same answer without any of the hook's code being loaded.
 */
export interface Replay {
  /** What files are like now. Taken before they are read, so that a change in between is noticed. */
  stamp(paths: readonly string[]): Stamps;
  keep(answer: Answer, from: { stamps: Stamps; /** Milliseconds. */ until?: number }): void;
}

/** The hook that was called, as the entry knows it, and where its answer would be kept. */
export interface Call {
  name: string;
  /** Called by the plugin's own hooks, not by a settings file. */
  isPlugin: boolean;
  stdin: string;
  env: Environment;
  /** `null`: stdin does not say where the session is. */
  question: string | null;
  place: string;
  stamp(path: string): string;
  print(answer: Answer): Promise<void>;
}
