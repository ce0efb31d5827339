import { gitFiles } from "../claude/git-files.ts";
import { projectFolder } from "../claude/project-names.ts";
import { chooseBase } from "../knowledge/base.ts";
import { contextFiles, knowledgeContext } from "../knowledge/context.ts";
import { queueFolder } from "../knowledge/waiting.ts";
import { resolvePaths } from "../paths.ts";
import type { Hook } from "./hook.ts";
import { readHookSettings } from "./settings.ts";
import { sweepQueue } from "./sweep.ts";

/**
 * The knowledge base of this folder's project as context for the session that starts: a hook of its own
 * beside the digests', because Claude Code's cap is per hook.
 */
export const hook: Hook = async (input, env, replay) => {
  const now = new Date();
  const paths = resolvePaths(env);
  const code = [import.meta.path, `${import.meta.dirname}/../knowledge/context.ts`];
  const folder = env["CLAUDE_PROJECT_DIR"] || input.cwd;
  const config = replay.stamp([
    ...code,
    `${paths.config}/config.json`,
    queueFolder(paths.state),
    ...gitFiles(folder),
  ]);
  const waits = await sweepQueue(env);
  const settings = readHookSettings(env);
  const { base, files } = chooseBase({
    configured: settings.knowledgeDir,
    data: paths.data,
    folder: projectFolder(input.cwd, env),
    cwd: input.cwd,
    env,
  });
  const read = contextFiles(base, now);
  const log = read.log === null ? [] : [read.log];
  const stamps = { ...config, ...replay.stamp([...files, read.index, read.record, ...read.folders, ...log]) };
  const text = knowledgeContext(base, read, settings.blockBudget, now);
  const answer =
    text === "" ? null : { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } };
  if (!waits) replay.keep(answer, { stamps, until: nextMidnight(now) });
  return answer;
};

/** The answer tells the date. */
function nextMidnight(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
}
