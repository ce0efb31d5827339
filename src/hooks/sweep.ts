import { queuedNames } from "../knowledge/waiting.ts";
import { type Environment, resolvePaths } from "../paths.ts";

/**
 * Starts a flush where something waits that was never flushed: after a crash, a closed terminal, a limit.
 * Returns whether something waits; then the next session has to look again.
 */
export async function sweepQueue(env: Environment): Promise<boolean> {
  if (queuedNames(resolvePaths(env).state).length === 0) return false;
  const { startDetached } = await import("../detach.ts");
  startDetached(["knowledge", "flush", "--wait"], env);
  return true;
}
