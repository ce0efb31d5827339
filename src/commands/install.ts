import { z } from "zod";
import { claudeMemContext, isClaudeMem, loweringAdvice } from "../claude/claude-mem-context.ts";
import { HOOKS, HOOK_NAMES, type HookName, hookCommand } from "../claude/hook-entries.ts";
import { calledHooks, isOurPlugin, otherMemoryTools } from "../claude/memory-tools.ts";
import { isFleeting, ownProgram } from "../claude/program.ts";
import { withHooks } from "../claude/settings-edit.ts";
import { editSettings, readSettings } from "../claude/settings-file.ts";
import { Exit, UserError, usageError } from "../errors.ts";
import { locateSource } from "../source/location.ts";
import { nearest } from "../text/nearest.ts";
import type { Context, Run } from "./command.ts";
import { checkOptions } from "./options.ts";
import { carryOutChange, chosenSettings, printNext, unusableSettings } from "./settings-change.ts";

const Options = z.object({ hooks: z.string().optional(), apply: z.boolean().default(false) });

/** What keeps the digests fresh and shown; the others belong to the knowledge base and MEMORY.md. */
const USUAL: readonly HookName[] = ["session-start", "session-end"];

export const run: Run = async ({ options }, context) => {
  const { hooks, apply } = checkOptions(Options, options);
  const { config, output } = context;
  const { scope, flag, path } = chosenSettings(options, context);
  const file = readSettings(path);
  const names = await chosenHooks(hooks, context);
  const program = ownProgram(config.env);
  const edited = editSettings(file, (text) => withHooks(text, names, program));
  if (edited.kind === "refused") throw unusableSettings(path, edited.reason);

  const change = carryOutChange({ file, content: edited.text }, apply, context);
  const notes = notesFor(context);
  if (isFleeting(program.bun))
    notes.push(`${program.bun} may be cleared away; hooks should name a Bun that stays (https://bun.sh)`);
  const installed = names.map((name) => ({
    hook: name,
    event: HOOKS[name].event,
    command: hookCommand(name, program),
  }));
  output.object({ scope, ...change, hooks: installed, notes });
  printNext(change, `install${flag}`, context);
  for (const note of notes) output.text(`\nNote: ${note}.`);
  return Exit.done;
};

async function chosenHooks(list: string | undefined, { output }: Context): Promise<readonly HookName[]> {
  if (list !== undefined) return parseHooks(list);
  if (!output.interactive || output.json) return USUAL;
  const { isCancel, multiselect } = await import("@clack/prompts");
  const chosen = await multiselect<HookName>({
    message: "Which hooks?",
    options: HOOK_NAMES.map((name) => ({ value: name, label: name, hint: HOOKS[name].does })),
    initialValues: [...USUAL],
    output: process.stderr,
  });
  if (!isCancel(chosen)) return chosen;
  throw new UserError({ code: "interrupted", message: "nothing was chosen", exit: Exit.interrupted });
}

function parseHooks(list: string): HookName[] {
  const words = list.split(",").map((word) => word.trim());
  if (words.length === 1 && words[0] === "all") return [...HOOK_NAMES];
  return HOOK_NAMES.filter((name) => words.includes(name)).concat(
    words.filter((word) => !isHook(word)).map(refuse),
  );
}

function isHook(word: string): word is HookName {
  return HOOK_NAMES.some((name) => name === word);
}

function refuse(word: string): never {
  const near = nearest(word, HOOK_NAMES);
  throw usageError(
    "unknown-hook",
    `there is no hook ${JSON.stringify(word)}`,
    near.length > 0 ? `did you mean ${near.join(" or ")}?` : `there are ${HOOK_NAMES.join(", ")}`,
  );
}

/** What else puts something into the same sessions. */
function notesFor({ config, cwd }: Context): string[] {
  const hooks = calledHooks(cwd, config.env);
  return [
    ...(hooks.some(isOurPlugin)
      ? ["our plugin is enabled too; it is silent where a settings file calls the same hook"]
      : []),
    ...otherMemoryTools(hooks).map(({ name, events, from }) => {
      const words = `${name} puts something into sessions too (${events.join(", ")}, by ${from})`;
      if (!isClaudeMem(name)) return words;
      const claudeMem = claudeMemContext(
        locateSource(config.CLAUDE_MEM_DB, config.env).settings.path,
        config.env,
      );
      return claudeMem.observations === 0
        ? words
        : `${words}. To leave that to the digests, ${loweringAdvice(claudeMem)}`;
    }),
  ];
}
