import { basename } from "node:path";
import { projectFolder, projectNames } from "../claude/project-names.ts";
import { chooseBase } from "../knowledge/base.ts";
import { type CaptureEvent, LEAST_TURNS, enqueue } from "../knowledge/queue.ts";
import { countTurns, readTail } from "../knowledge/transcript.ts";
import { type Environment, resolvePaths } from "../paths.ts";
import { locateSource } from "../source/location.ts";
import { startDetached } from "../detach.ts";
import { isHeadless } from "./headless.ts";
import type { HookInput } from "./hook.ts";
import { readHookSettings } from "./settings.ts";

/**
 * Copies the end of the session's conversation into the queue and starts the flush that turns it into an
 * entry of the daily log. Reads what it needs from the transcript's end and calls no model.
 */
export async function captureSession(event: CaptureEvent, input: HookInput, env: Environment): Promise<void> {
  const settings = readHookSettings(env);
  if (input.transcriptPath === null || settings.captureTurns === 0) return;
  if (isHeadless(env) && !settings.captureHeadless) return;
  if (await isExcluded(input.cwd, env, settings.excludedProjects)) return;
  const messages = readTail(input.transcriptPath, {
    turns: settings.captureTurns,
    units: settings.captureUnits,
  });
  if (countTurns(messages) < LEAST_TURNS[event]) return;
  const paths = resolvePaths(env);
  const { base, project } = chooseBase({
    configured: settings.knowledgeDir,
    data: paths.data,
    folder: projectFolder(input.cwd, env),
    cwd: input.cwd,
    env,
  });
  const session = sessionName(input.sessionId ?? basename(input.transcriptPath, ".jsonl"));
  enqueue(paths.state, { session, base: base.root, project, event, at: Date.now(), messages, refusals: 0 });
  startDetached(["knowledge", "flush", "--wait"], env);
}

/** What a person keeps from being remembered, here or in claude-mem, is not copied at all. */
async function isExcluded(cwd: string, env: Environment, excluded: readonly string[]): Promise<boolean> {
  const { excludedFolders } = locateSource(undefined, env).settings;
  if (excluded.length + excludedFolders.length === 0) return false;
  const { placeProjects } = await import("../source/projects.ts");
  const place = placeProjects({ aliases: new Map(), excluded, excludedFolders });
  return projectNames(cwd, env).all.some((name) => place(name, "").skip === "excluded-project");
}

/** Ids of Claude Code are UUIDs; whatever else comes must not break the comment that it stands in. */
function sessionName(id: string): string {
  return id
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/-{2,}/g, "-") // two would end the comment
    .slice(0, 100);
}
