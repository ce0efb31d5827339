import type { Config } from "../config.ts";
import type { ExitCode } from "../errors.ts";
import type { Output } from "./output.ts";

/** What a command gets: everything of the outside world that it may touch. */
export interface Context {
  config: Config;
  output: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The person's working directory. */
  cwd: string;
}

/** Arguments to a domain call to output. Bad input and environment: throws a `UserError`. */
export type Run = (input: Input, context: Context) => Promise<ExitCode>;

/** As the argument library leaves it; each command validates its own with zod. */
export interface Input {
  args: readonly unknown[];
  options: Readonly<Record<string, unknown>>;
}

/** A row of the command table: all that `--help`, README and completions show, and where the code is. */
export interface CommandSpec {
  /** Words as typed: `memory audit`. */
  name: string;
  summary: string;
  /** In the argument library's notation: `[project...]`, `<question>`. */
  args?: readonly { notation: string; meaning: string; choices?: readonly string[] }[];
  options?: readonly { flags: string; meaning: string; choices?: readonly string[] }[];
  /** Command lines with what they do; `--help` shows them. */
  examples: readonly { line: string; does: string }[];
  /** Every command that reports takes `--json`; completion scripts don't. */
  json: boolean;
  load: () => Promise<{ run: Run }>;
}
