import { makePrivateFolder } from "../text/files.ts";
import { estimateTokens } from "../text/tokens.ts";
import type { Environment } from "../paths.ts";
import { type ChildEnd, runChild } from "./child.ts";
import { isUnknownOption, readClaudeAnswer } from "./claude-answer.ts";
import { claudeEnvironment } from "./claude-environment.ts";
import { findClaude } from "./claude-executable.ts";
import { type Model, type ModelOutcome, NO_USAGE, type Prompt } from "./model.ts";

export interface ClaudeCliOptions {
  /** An alias (`haiku`) or a full name. */
  model: string;
  /** Our own environment; what of it reaches Claude Code is decided here. */
  env: Environment;
  /** Else it is looked for. */
  executable?: string;
  /** Lets the variables through that bill an API key, a gateway or a cloud. */
  useApiKey: boolean;
  timeoutMs: number;
  /** A folder of our own without any project's files; made when missing. */
  workingFolder: string;
  warn: (text: string) => void;
}

/** Thinking counts as output; an answer may need some before it. */
const THINKING_TOKENS = 16_000;
const HELP_MS = 20_000;

/** What keeps a call cheap and without side effects; each only where the installed version knows it. */
const LEAN: readonly (readonly [flag: string, ...value: string[]])[] = [
  ["--no-session-persistence"],
  ["--setting-sources="],
  ["--strict-mcp-config"],
  ["--tools="],
  ["--disable-slash-commands"],
  ["--settings", JSON.stringify({ disableAllHooks: true, permissions: { deny: ["Read"] } })],
];
const SYSTEM_PROMPT = "--system-prompt";

/**
 * Claude Code's own `claude -p`: the login that a person already has pays. It gets no tool, no hook, no
 * plugin, no settings, no session file and no attachment, and is ended with all that it started when the
 * time is up. One call makes at most three requests where the provider is busy, else one.
 */
export function claudeCli(options: ClaudeCliOptions): Model {
  const { env, warnings } = claudeEnvironment(options.env, options.useApiKey);
  for (const warning of warnings) options.warn(warning);
  let known: Promise<ReadonlySet<string>> | undefined;

  return async (prompt, signal) => {
    const command = options.executable ?? findClaude(options.env);
    if (command === null) return paused("Claude Code was not found; install it or choose another model");
    makePrivateFolder(options.workingFolder);
    const run = (argv: readonly string[], input: string, timeoutMs = options.timeoutMs) =>
      runChild(
        {
          command,
          argv,
          env: {
            ...env,
            CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(prompt.maxOutputTokens + THINKING_TOKENS),
            // should we be killed, it still ends
            API_TIMEOUT_MS: String(timeoutMs),
          },
          cwd: options.workingFolder,
          input,
          timeoutMs,
        },
        signal,
      );
    const ask = ({ argv, input }: Call) => run(argv, input);
    const settleOn = (flags: ReadonlySet<string>) => {
      if (!flags.has("--settings"))
        options.warn(`${command} is too old to switch hooks off; update Claude Code`);
      return flags;
    };
    known ??= run(["--help"], "", HELP_MS).then((help) => settleOn(flagsKnown(help)));
    const flags = await known.catch((error: unknown) => {
      known = undefined; // this call was aborted, a later one may not be
      throw error;
    });
    let end = await ask(callOf(options.model, prompt, flags));
    if (end.kind === "exited" && isUnknownOption(end)) {
      known = Promise.resolve(settleOn(new Set()));
      end = await ask(callOf(options.model, prompt, await known));
    }
    return outcomeOf(end, prompt, options);
  };
}

/** All, where the help cannot be had: the call itself then says what is unknown. */
function flagsKnown(help: ChildEnd): ReadonlySet<string> {
  const names = [...LEAN.map(([flag]) => flag.replace("=", "")), SYSTEM_PROMPT];
  if (help.kind !== "exited" || !help.stdout.includes("--print")) return new Set(names);
  return new Set(names.filter((name) => new RegExp(`${name}(?![\\w-])`).test(help.stdout)));
}

interface Call {
  argv: string[];
  input: string;
}

function callOf(model: string, prompt: Prompt, known: ReadonlySet<string>): Call {
  const argv = ["-p", "--model", model, "--output-format", "json"];
  for (const [flag, ...value] of LEAN) if (known.has(flag.replace("=", ""))) argv.push(flag, ...value);
  const user = withoutMentions(prompt.user);
  if (!known.has(SYSTEM_PROMPT)) return { argv, input: `${prompt.system}\n\n${user}` };
  return { argv: [...argv, SYSTEM_PROMPT, prompt.system], input: user };
}

const UNSEEN_SPACE = "\u200b";

/**
 * Claude Code attaches the file behind any `@path` of a prompt, and takes one that begins with `/` for a
 * command. A space without width after each `@` prevents the first; it is taken out of the answer again.
 */
function withoutMentions(text: string): string {
  const harmless = text.replaceAll(/@(?=\S)/g, `@${UNSEEN_SPACE}`);
  return /^\s*\//.test(harmless) ? `The text begins here.\n${harmless}` : harmless;
}

function outcomeOf(end: ChildEnd, prompt: Prompt, { model, timeoutMs }: ClaudeCliOptions): ModelOutcome {
  switch (end.kind) {
    case "not-started":
      return paused(`Claude Code could not be started: ${end.reason}`);
    case "timed-out":
      return {
        kind: "refused",
        reason: `Claude Code gave no answer within ${timeoutMs / 1000} s`,
        // nobody said what it took, but it was sent
        usage: {
          calls: 1,
          inputTokens: estimateTokens(prompt.system + prompt.user),
          outputTokens: 0,
          costUsd: null,
        },
      };
    case "exited": {
      const outcome = readClaudeAnswer(end, { model, now: new Date() });
      if (outcome.kind !== "answered") return outcome;
      return { ...outcome, text: outcome.text.replaceAll(`@${UNSEEN_SPACE}`, "@") };
    }
  }
}

function paused(reason: string): ModelOutcome {
  return { kind: "paused", reason, usage: NO_USAGE };
}
