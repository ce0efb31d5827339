#!/usr/bin/env bun
import { Command, CommanderError, Option, Argument } from "commander";
import pkg from "../package.json" with { type: "json" };
import type { CommandSpec } from "./commands/command.ts";
import { SCHEMA_VERSION, createOutput } from "./commands/output.ts";
import { COMMANDS } from "./commands/table.ts";
import { SETTINGS, loadConfig } from "./config.ts";
import { Exit, type ExitCode, UserError, usageError } from "./errors.ts";
import { nearest } from "./text/nearest.ts";

const HELP_GROUPS: Record<string, string> = {
  memory: "Audit, archive and guard MEMORY.md and its topic files",
  "memory gate": "Watch that no topic file loses its last link",
  knowledge: "Compile conversations into linked articles",
};

const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [Exit.done, "done"],
  [Exit.findings, "findings: an audit or a lint found something (or a bug of ours, which says so)"],
  [Exit.usage, "usage: a command line or setting that cannot be meant"],
  [Exit.environment, "environment: a file is missing, unreadable or of another kind"],
  [Exit.refused, "refused by a gate; nothing was changed"],
  [Exit.model, "a model or its provider failed or paused"],
  [Exit.interrupted, "interrupted"],
];

/** The one place that catches, prints and chooses the exit code. */
export async function main(argv: readonly string[], commands = COMMANDS): Promise<ExitCode> {
  const json = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length).includes("--json");
  for (const stream of [process.stdout, process.stderr]) stream.on("error", surviveClosedPipe);
  const interrupted = new AbortController();
  process.on("SIGINT", () => interrupted.abort(new Interrupted()));
  process.on("SIGTERM", () => interrupted.abort(new Interrupted()));
  const output = createOutput(process, {
    json,
    colour: process.stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  });
  let exit: ExitCode = Exit.done;
  const program = createProgram(async (spec, args, options) => {
    assertNoneEmpty(spec, args, options);
    const { run } = await spec.load();
    const config = loadConfig();
    for (const name of config.strangers) output.warn(unknownSetting(name));
    exit = await run(
      { args, options },
      { config, output, signal: interrupted.signal, cwd: workingDirectory() },
    );
  }, commands);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    return report(error, { json, help: helpFor(program, argv) });
  }
}

/** A shell's unset variable, most likely: `read "$PROJECT"`. No command means anything by it. */
function assertNoneEmpty(spec: CommandSpec, args: unknown[], options: Record<string, unknown>): void {
  const option = Object.entries(options).find(([, value]) => value === "")?.[0];
  if (option === undefined && !args.flat().includes("")) return;
  const flag = option?.replaceAll(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`);
  const what = flag === undefined ? "an argument" : `--${flag}`;
  throw usageError(
    "empty-argument",
    `${what} of ${spec.name} is empty`,
    "leave it out, or say what is meant",
  );
}

function unknownSetting(name: string): string {
  const [meant] = nearest(name, Object.keys(SETTINGS));
  return `config.json has ${JSON.stringify(name)}, which is no setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UserError({
      code: "no-working-directory",
      message: "the working directory is gone",
      hint: "change to one that exists",
      exit: Exit.environment,
      cause,
    });
  }
}

/** Whoever read our output has seen enough (`| head -1`); the work itself goes on to its end. */
function surviveClosedPipe(error: Error & { code?: string }): void {
  if (error.code === "EPIPE") return;
  process.stderr.write(`error: cannot write the output: ${error.message}\n`);
  process.exit(Exit.environment);
}

/** Ctrl-C, as the reason of an abort. */
class Interrupted extends UserError {
  constructor() {
    super({
      code: "interrupted",
      message: "interrupted",
      hint: "run it again to go on where it stopped",
      exit: Exit.interrupted,
    });
  }
}

type Invoke = (spec: CommandSpec, args: unknown[], options: Record<string, unknown>) => Promise<void>;

/** The whole command line as the argument library sees it; also what docs and completions are made from. */
export function createProgram(invoke: Invoke, commands = COMMANDS): Command {
  const program = group(new Command("persisted-memory").description(pkg.description));
  program
    .version(pkg.version, "--version")
    .addHelpText(
      "after",
      `\nExit codes:\n${EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`).join("\n")}`,
    );
  for (const spec of commands) addCommand(program, spec, invoke);
  return program;
}

function addCommand(program: Command, spec: CommandSpec, invoke: Invoke): void {
  const words = spec.name.split(" ");
  const name = words.pop() ?? spec.name;
  const command = settle(parentOf(program, words).command(name)).description(spec.summary);
  for (const { notation, meaning, choices } of spec.args ?? []) {
    const argument = new Argument(notation, meaning);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const { flags, meaning, choices } of spec.options ?? []) {
    const option = new Option(flags, meaning);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  if (spec.json) command.option("--json", "one JSON object on stdout");
  const examples = spec.examples.map(({ line, does }) => `  ${line}\n      ${does}`);
  command.addHelpText("after", `\nExamples:\n${examples.join("\n")}`);
  command.action(async () => invoke(spec, command.processedArgs, command.opts()));
}

function parentOf(program: Command, words: readonly string[]): Command {
  let parent = program;
  for (const [depth, word] of words.entries()) {
    const path = words.slice(0, depth + 1).join(" ");
    const known = parent.commands.find((command) => command.name() === word);
    parent = known ?? group(parent.command(word).description(HELP_GROUPS[path] ?? ""));
  }
  return parent;
}

/** A command that only has subcommands: bare, it shows its help as a usage error. */
function group(command: Command): Command {
  return settle(command)
    .helpCommand(false)
    .enablePositionalOptions()
    .addOption(new Option("--json").hideHelp());
}

function settle(command: Command): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ outputError: () => undefined });
}

/** Where to read on, given what somebody typed: as far as its words are known, or where they would be. */
function helpFor(program: Command, argv: readonly string[]): string {
  let command = program;
  const path = [program.name()];
  for (const word of argv.filter((arg) => !arg.startsWith("-"))) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    const inside = command.commands.find(({ commands }) => commands.some((leaf) => leaf.name() === word));
    if (next === undefined && inside !== undefined) return `Did you mean ${inside.name()} ${word}?`;
    if (next === undefined) break;
    path.push(word);
    command = next;
  }
  return `see \`${path.join(" ")} --help\``;
}

interface Manner {
  json: boolean;
  /** The hint where an error brings none. */
  help: string;
}

function report(error: unknown, manner: Manner): ExitCode {
  if (error instanceof CommanderError) return reportUsage(error, manner);
  if (process.env["PERSISTED_MEMORY_DEBUG"]) process.stderr.write(`${Bun.inspect(error)}\n`);
  if (error instanceof UserError) return fail(error, error.exit, manner);
  if (isFromSystem(error)) return fail({ code: "system", ...trouble(error) }, Exit.environment, manner);
  const [what] = String(error).split("\n");
  const hint = "nothing that was stored is lost; please report it with what PERSISTED_MEMORY_DEBUG=1 adds";
  return fail(
    { code: "bug", message: `a bug in persisted-memory ${pkg.version}: ${what}`, hint },
    Exit.findings,
    manner,
  );
}

/** What the operating system, or SQLite for it, refuses: no bug, wherever it happens. */
function isFromSystem(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return /^(E(ACCES|PERM|ROFS|NOSPC|DQUOT|IO|MFILE|NFILE|NOTDIR|ISDIR|LOOP|NAMETOOLONG)|SQLITE_(BUSY|CANTOPEN|READONLY|FULL|IOERR|PERM|NOTADB|CORRUPT)\w*)$/.test(
    String(error.code),
  );
}

function trouble(error: Error): { message: string; hint: string } {
  return {
    message: `the system does not let us: ${error.message}`,
    hint: "check the permissions and the room on the disk; XDG_STATE_HOME and XDG_DATA_HOME name other places",
  };
}

function reportUsage(error: CommanderError, manner: Manner): ExitCode {
  if (error.exitCode === 0) return Exit.done; // --help, --version
  const code = error.code.replace(/^commander\./, "").replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  if (code === "help")
    return fail({ code: "no-command", message: "a command is needed" }, Exit.usage, manner);
  const [message = error.message, suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = suggestion?.replace(/^\((.*)\)$/, "$1");
  return fail({ code, message, hint }, Exit.usage, manner);
}

function fail(
  error: { code: string; message: string; hint?: string | undefined },
  exit: ExitCode,
  { json, help }: Manner,
): ExitCode {
  const { code, message, hint = help } = error;
  if (json)
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, error: { code, message, hint } }, null, 2)}\n`,
    );
  else process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  return exit;
}

// Last, since it runs before anything below it would exist.
if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
