import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "./model-behaviours.ts";

/** What a started `claude` saw. */
export interface ClaudeCall {
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  cwd: string;
}

export interface ClaudeSpec {
  stdout: string;
  code: number;
  sleepMs?: number;
  /** Options that this version knows; anything else is an error. All of today's when left out. */
  knows?: readonly string[];
  /** What `--help` shows, where that is not what the version knows. */
  help?: string;
}

export interface FakeClaude {
  /** Holds the program `claude`: for the PATH. */
  folder: string;
  executable: string;
  /** Without the question for `--help`. */
  calls(): ClaudeCall[];
  allCalls(): ClaudeCall[];
}

const TODAY = [
  "--print",
  "--model",
  "--output-format",
  "--no-session-persistence",
  "--setting-sources",
  "--strict-mcp-config",
  "--tools",
  "--disable-slash-commands",
  "--settings",
  "--system-prompt",
];

const PROGRAM = `
import { appendFileSync, readFileSync } from "node:fs";
const folder = import.meta.dirname;
const spec = JSON.parse(readFileSync(folder + "/spec.json", "utf8"));
const argv = process.argv.slice(2);
const stdin = await Bun.stdin.text();
appendFileSync(folder + "/calls.jsonl", JSON.stringify({ argv, env: process.env, stdin, cwd: process.cwd() }) + "\\n");
const unknown = argv.find((word) => word.startsWith("--") && word !== "--help" && !spec.knows.includes(word.split("=")[0]));
if (argv.includes("--help")) {
  process.stdout.write(spec.help);
} else if (unknown !== undefined) {
  process.stderr.write("error: unknown option '" + unknown + "'\\n");
  process.exitCode = 1;
} else {
  if (spec.sleepMs) await Bun.sleep(spec.sleepMs);
  process.stdout.write(spec.stdout);
  process.exitCode = spec.code;
}
`;

/** A program that takes Claude Code's place, says what it is told to and keeps what it was given. */
export function fakeClaude(folder: string, spec: ClaudeSpec): FakeClaude {
  mkdirSync(folder, { recursive: true });
  const knows = spec.knows ?? TODAY;
  const executable = join(folder, "claude");
  const program = join(folder, "fake-claude.js");
  const log = join(folder, "calls.jsonl");
  writeFileSync(
    join(folder, "spec.json"),
    JSON.stringify({ ...spec, knows, help: spec.help ?? knows.join("\n") }),
  );
  writeFileSync(program, PROGRAM);
  writeFileSync(executable, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(executable, 0o755);
  const allCalls = (): ClaudeCall[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];
  return {
    folder,
    executable,
    allCalls,
    calls: () => allCalls().filter(({ argv }) => !argv.includes("--help")),
  };
}

/** What the real program prints for a behaviour, as measured with 2.1.332. */
export function claudeSays(behaviour: Behaviour): ClaudeSpec {
  const failed = (result: string, more: object = {}): ClaudeSpec => ({
    stdout: JSON.stringify(resultObject({ is_error: true, terminal_reason: "api_error", result, ...more })),
    code: 1,
  });
  switch (behaviour.kind) {
    case "answers":
      return answers(behaviour.text);
    case "nothing":
      return answers("");
    case "limit": {
      const time = behaviour.resetsAt.toLocaleTimeString("en-US", {
        timeZone: "UTC",
        hour: "numeric",
        minute: "2-digit",
      });
      const words = time.replace(/\s/g, "").toLowerCase();
      return failed(`You've hit your 5-hour limit · resets ${words} (UTC)`, { api_error_status: 429 });
    }
    case "login":
      return failed("Not logged in · Please run /login");
    case "credit":
      return failed("Credit balance is too low", { api_error_status: 400 });
    case "overloaded":
      return failed("API Error: 529 Overloaded. This is a server-side issue, usually temporary", {
        api_error_status: 529,
      });
    case "too-long":
      return failed("Prompt is too long · the request is ~230000 tokens (limit 200000)", {
        api_error_status: 400,
        terminal_reason: "prompt_too_long",
      });
    case "cut":
      return failed("API Error: Claude's response exceeded the 16500 output token maximum.");
    case "refusal":
      return failed("API Error: Haiku 5.5 can't help with this. Start a new session to continue.");
    case "slow":
      return { ...answers("late"), sleepMs: behaviour.ms };
  }
}

export function answers(text: string): ClaudeSpec {
  return {
    stdout: JSON.stringify(resultObject({ is_error: false, terminal_reason: "completed", result: text })),
    code: 0,
  };
}

/** A result as `--output-format json` prints it. */
export function resultObject(fields: object): object {
  return {
    type: "result",
    subtype: "success",
    api_error_status: null,
    total_cost_usd: 0.002,
    usage: {
      input_tokens: 1200,
      output_tokens: 30,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    modelUsage: { "claude-haiku-5-5": { costBasis: "list" } },
    ...fields,
  };
}
