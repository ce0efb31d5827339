import { existsSync, readFileSync } from "node:fs";
import { HOOK_NAMES, hookCommand, programOf } from "../../claude/hook-entries.ts";
import { type CalledHook, calledHooks, isOurPlugin } from "../../claude/memory-tools.ts";
import { ownProgram } from "../../claude/program.ts";
import type { Environment } from "../../paths.ts";
import { hookLogPath } from "../../text/hook-log.ts";
import { count } from "../figures.ts";
import type { Check, Look } from "./check.ts";

const AGAIN = "persisted-memory install --apply";
const DAY_MS = 86_400_000;

/** Which of our hooks Claude Code calls here, whether it can, and what they complained about. */
export const hooks: Look = ({ config, cwd }) => {
  const called = calledHooks(cwd, config.env);
  const ours = called.filter((hook) => hook.name !== null);
  return [
    installed(ours, called.filter(isOurPlugin)),
    ...doubled(ours),
    ...ours.flatMap((hook) => gone(hook) ?? outdated(hook, config.env) ?? []),
    ...complaints(config.env),
  ];
};

function installed(ours: readonly CalledHook[], plugin: readonly CalledHook[]): Check {
  const names = HOOK_NAMES.filter((name) => ours.some((hook) => hook.name === name));
  const ways = [
    ...(names.length > 0
      ? [`${names.join(", ")} by ${[...new Set(ours.map((hook) => hook.from))].join(", ")}`]
      : []),
    ...(plugin.length > 0 ? ["all by the plugin, where no settings file calls them"] : []),
  ];
  if (ways.length > 0) return { check: "hooks", level: "pass", message: ways.join("; ") };
  return { check: "hooks", level: "warn", message: "Claude Code calls none of our hooks", hint: AGAIN };
}

/** Two entries for one hook put the same block into a session twice. */
function doubled(ours: readonly CalledHook[]): Check[] {
  const byName = Map.groupBy(ours, (hook) => hook.name);
  return [...byName].flatMap(([name, entries]): Check[] =>
    entries.length < 2
      ? []
      : [
          {
            check: "hooks-doubled",
            level: "fail",
            message: `${String(name)} is called ${entries.length} times: ${entries.map((hook) => hook.from).join(", ")}`,
            hint: `take it out of one: ${new Set(entries.map((hook) => hook.from)).size > 1 ? "persisted-memory uninstall [--project | --local] --apply" : AGAIN}`,
          },
        ],
  );
}

function gone({ command, name, from }: CalledHook): Check | null {
  const program = programOf(command);
  const missing =
    program === null
      ? []
      : [program.bun, program.script].filter((path) => /[\\/]/.test(path) && !existsSync(path));
  if (missing.length === 0) return null;
  return {
    check: "hooks-gone",
    level: "fail",
    message: `${String(name)} in ${from} calls ${missing.join(" and ")}, which is gone`,
    hint: AGAIN,
  };
}

function outdated({ command, name, from }: CalledHook, env: Environment): Check | null {
  if (name === null || command === hookCommand(name, ownProgram(env))) return null;
  return {
    check: "hooks-other",
    level: "warn",
    message: `${name} in ${from} is not what this copy would install`,
    hint: AGAIN,
  };
}

/** What went wrong in a hook of the last day; sessions go on without a word then. */
function complaints(env: Environment): Check[] {
  const path = hookLogPath(env);
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const lines = read(path)
    .split("\n")
    .filter((line) => line > since);
  if (lines.length === 0) return [];
  return [
    {
      check: "hook-log",
      level: "warn",
      message: `${count(lines.length, "complaint")} of hooks since yesterday, the last: ${lines.at(-1) ?? ""}`,
      hint: `all of them stand in ${path}`,
    },
  ];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // nothing ever went wrong
  }
}
