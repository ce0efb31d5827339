import { type Block, renderBlock } from "../block/block.ts";
import { projectNames } from "../claude/project-names.ts";
import type { Environment } from "../paths.ts";
import { type Peeked, peekDigests } from "../store/peek.ts";
import type { HookSettings } from "./settings.ts";

/**
 * The SessionStart answer for a folder: the same text as `persisted-memory read` prints there, and if
 * wanted a line for the person. `null` where nothing was built.
 */
export function sessionContext(
  cwd: string,
  env: Environment,
  settings: HookSettings,
): Record<string, unknown> | null {
  const { digestDb, blockBudget, sessionMessage } = settings;
  const peeked = peekDigests(digestDb, projectNames(cwd, env).all, blockBudget);
  if (peeked === null) return null;
  if (peeked.kind === "unusable")
    throw new Error(`${digestDb} ${peeked.trouble.message}; ${peeked.trouble.hint}`);
  const block = renderBlock(peeked, blockBudget);
  if (block.text === "") return null;
  return {
    hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: block.text },
    ...(sessionMessage ? { systemMessage: economics(peeked, block) } : {}),
  };
}

function economics({ names, projects }: Peeked, block: Block): string {
  const observations = projects.reduce((sum, project) => sum + project.observations, 0);
  const tokens = projects.reduce((sum, project) => sum + project.rawTokens, 0);
  const count = (value: number, one: string) =>
    `${value.toLocaleString("en-US")} ${value === 1 ? one : `${one}s`}`;
  const rest = block.omitted > 0 ? `; ${count(block.omitted, "more note")} did not fit` : "";
  return `persisted-memory: ${count(observations, "observation")} of ${names.at(-1)} (about ${count(tokens, "token")}) as ${count(block.shown, "note")} in ${count(block.units, "character")}${rest}`;
}
