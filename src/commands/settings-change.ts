import { z } from "zod";
import { type SettingsFile, writeSettings } from "../claude/settings-file.ts";
import { type SettingsScope, settingsPath } from "../claude/settings-places.ts";
import { Exit, UserError, usageError } from "../errors.ts";
import type { Context } from "./command.ts";
import { diffOf, printDiff } from "./memory-change.ts";
import { checkOptions } from "./options.ts";

const Scope = z.object({ project: z.boolean().default(false), local: z.boolean().default(false) });

export interface ChosenSettings {
  scope: SettingsScope;
  /** What chose it, for a command line that is shown; with a blank before it. */
  flag: string;
  path: string;
}

/** The settings file that a command means: the user's, or with a flag that of the folder. */
export function chosenSettings(
  options: Readonly<Record<string, unknown>>,
  { config, cwd }: Context,
): ChosenSettings {
  const { project, local } = checkOptions(Scope, options);
  if (project && local)
    throw usageError("two-scopes", "--project and --local exclude each other", "leave one of them out");
  const scope = project ? "project" : local ? "local" : "user";
  const flag = scope === "user" ? "" : ` --${scope}`;
  return { scope, flag, path: settingsPath(scope, cwd, config.env) };
}

export interface SettingsChange {
  file: SettingsFile;
  /** `null`: no file. */
  content: string | null;
}

/** Shows a change, and with `apply` writes it. Returns the fields that every report of such a change has. */
export function carryOutChange(
  { file, content }: SettingsChange,
  apply: boolean,
  { config, output }: Context,
) {
  const isChanged = file.content !== content;
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  const files = isChanged ? [{ path: file.path, before: bytes(file.content), after: bytes(content) }] : [];
  if (isChanged) printDiff(files, output);
  const backup = isChanged && apply ? writeSettings(file, content, config.paths.state) : null;
  return { file: file.path, changed: isChanged, applied: isChanged && apply, backup, diff: diffOf(files) };
}

/** What a person does next. */
export function printNext(
  change: ReturnType<typeof carryOutChange>,
  command: string,
  { output }: Context,
): void {
  if (!change.changed) return output.text(`${change.file} is as it should be; nothing to do.`);
  if (!change.applied)
    return output.text(`\nNothing was written. \`persisted-memory ${command} --apply\` writes it.`);
  output.text(`\nWritten: ${change.file}`);
  if (change.backup !== null) output.text(`Before:  ${change.backup}`);
}

export function unusableSettings(path: string, reason: string): UserError {
  return new UserError({
    code: "settings-unusable",
    message: `${path} was left alone: ${reason}`,
    hint: "mend the file and run it again; Claude Code cannot read it like this either",
    exit: Exit.environment,
  });
}
