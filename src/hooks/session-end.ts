import { startDetached } from "../detach.ts";
import type { Environment } from "../paths.ts";
import { captureSession } from "./capture.ts";
import { isHeadless } from "./headless.ts";
import type { Hook } from "./hook.ts";
import { readHookSettings } from "./settings.ts";

/** Merges that cost nothing; with a model the nightly run builds. */
const FREE_MERGES = ["extractive", "mock"];

/**
 * Folds what the session left, in a process of its own: Claude Code waits for this hook no longer than a second
 * or two. Not for headless sessions: scripts start them by the hundred.
 */
export const hook: Hook = async (input, env) => {
  try {
    await captureSession("session-end", input, env);
  } finally {
    if (buildsUnasked(env)) startDetached(["build"], env);
  }
  return null;
};

function buildsUnasked(env: Environment): boolean {
  return !isHeadless(env) && FREE_MERGES.includes(readHookSettings(env).mergeModel);
}
