import { readProjects } from "../../block/reading.ts";
import { claudeMemContext, isClaudeMem, loweringAdvice } from "../../claude/claude-mem-context.ts";
import { calledHooks, otherMemoryTools } from "../../claude/memory-tools.ts";
import { projectNames } from "../../claude/project-names.ts";
import { locateSource } from "../../source/location.ts";
import type { Context } from "../command.ts";
import { figure } from "../figures.ts";
import { type Check, type Look, readIfUsable } from "./check.ts";

/** Claude Code replaces a longer value of a hook by a preview. */
const HOOK_UNITS = 10_000;

/** What a session gets here, from us and from others. */
export const block: Look = (context) => [own(context), ...others(context)];

function own({ config, cwd }: Context): Check {
  const { all, primary } = projectNames(cwd, config.env);
  const reading = readIfUsable(config.DIGEST_DB, (db) => readProjects(db, all, config.BLOCK_BUDGET));
  const units = reading?.block.units ?? 0;
  if (units === 0) {
    return {
      check: "block",
      level: "warn",
      message: `nothing is built of ${primary}, so sessions here get nothing`,
      hint: "persisted-memory build",
    };
  }
  const { blockTokens, recent50 } = reading?.economics ?? { blockTokens: 0, recent50: { tokens: 0 } };
  const message = `${primary}: ${figure(units)} of ${figure(HOOK_UNITS)} characters, about ${figure(blockTokens)} tokens (the 50 newest observations: about ${figure(recent50.tokens)})`;
  return units <= HOOK_UNITS
    ? { check: "block", level: "pass", message }
    : { check: "block", level: "fail", message, hint: "lower BLOCK_BUDGET" };
}

function others({ config, cwd }: Context): Check[] {
  return otherMemoryTools(calledHooks(cwd, config.env)).map(({ name, events, from }) => {
    const message = `${name} puts something into sessions too: ${events.join(", ")}, by ${from}`;
    if (!isClaudeMem(name))
      return {
        check: "other-memory",
        level: "warn",
        message,
        hint: "two memories say the same twice; keep one",
      };
    const claudeMem = claudeMemContext(
      locateSource(config.CLAUDE_MEM_DB, config.env).settings.path,
      config.env,
    );
    if (claudeMem.observations === 0)
      return {
        check: "other-memory",
        level: "pass",
        message: `${message}, without its list of observations`,
      };
    return { check: "other-memory", level: "warn", message, hint: loweringAdvice(claudeMem) };
  });
}
