import { gitFiles } from "../claude/git-files.ts";
import { queueFolder } from "../knowledge/waiting.ts";
import { resolvePaths } from "../paths.ts";
import type { Hook } from "./hook.ts";
import { sessionContext } from "./session-context.ts";
import { readHookSettings } from "./settings.ts";
import { sweepQueue } from "./sweep.ts";

/**
 * The block of this folder's projects as context for the session that starts. Reads our store and
 * nothing else; throws for a store that cannot be read.
 */
export const hook: Hook = async (input, env, replay) => {
  const code = [import.meta.path, `${import.meta.dirname}/../block/block.ts`];
  const paths = resolvePaths(env);
  const config = replay.stamp([...code, `${paths.config}/config.json`, queueFolder(paths.state)]);
  const waits = await sweepQueue(env);
  const settings = readHookSettings(env);
  const store = [settings.digestDb, `${settings.digestDb}-wal`];
  const stamps = {
    ...config,
    ...replay.stamp([...store, ...gitFiles(env["CLAUDE_PROJECT_DIR"] || input.cwd)]),
  };
  const answer = sessionContext(input.cwd, env, settings);
  if (!waits) replay.keep(answer, { stamps });
  return answer;
};
