import type { Run } from "../../src/commands/command.ts";
import { createOutput } from "../../src/commands/output.ts";
import { loadConfig } from "../../src/config.ts";
import { type ExitCode, UserError } from "../../src/errors.ts";

export interface CommandRun {
  exit: ExitCode;
  stdout: string;
  stderr: string;
}

export interface CommandInput {
  args?: readonly unknown[];
  options?: Record<string, unknown>;
  /** The whole environment. */
  env: Record<string, string>;
  cwd?: string;
  json?: boolean;
}

/** A command as the command line calls it, in this process; throws what the command throws. */
export async function runCommand(run: Run, input: CommandInput): Promise<CommandRun> {
  const written = { stdout: "", stderr: "" };
  const output = createOutput(
    {
      stdout: { write: (text) => (written.stdout += text) },
      stderr: { write: (text) => (written.stderr += text) },
    },
    { json: input.json === true, colour: false, interactive: false },
  );
  const context = {
    config: loadConfig(input.env),
    output,
    signal: new AbortController().signal,
    cwd: input.cwd ?? "/",
  };
  const exit = await run({ args: input.args ?? [], options: input.options ?? {} }, context);
  return { exit, ...written };
}

/** The same with what the command line makes of it: the `--json` object, or the error's fields and exit code. */
export async function runToObject(
  run: Run,
  input: CommandInput,
): Promise<CommandRun & { object: Record<string, unknown> }> {
  try {
    const done = await runCommand(run, { ...input, json: true });
    return { ...done, object: JSON.parse(done.stdout) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message, hint, exit } = error;
    return { exit, stdout: "", stderr: "", object: { code, message, hint } };
  }
}
