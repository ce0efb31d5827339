import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { makeExample } from "../../seed/example.ts";
import { loadConfig } from "../config.ts";
import { Exit, type ExitCode, usageError, worstExit } from "../errors.ts";
import { run as build } from "./build.ts";
import { run as cluster } from "./cluster.ts";
import type { Context, Run } from "./command.ts";
import { count, figure } from "./figures.ts";
import type { Output } from "./output.ts";
import { run as read } from "./read.ts";

const Options = z.object({ only: z.boolean().default(false) });
const File = z.string().min(1).optional();

export const run: Run = async ({ args, options }, context) => {
  const file = File.parse(args[0]);
  const { only } = Options.parse(options);
  if (only) return makeOnly(resolve(context.cwd, file ?? "example.db"), context.output);
  if (file !== undefined)
    throw usageError(
      "file-without-only",
      "the demo keeps no file",
      `to keep the example: seed --only ${file}`,
    );
  return demo(context);
};

function makeOnly(path: string, output: Output): ExitCode {
  const example = makeExample(path);
  output.object({ example: path, ...example });
  output.text(`Made ${path}: ${count(example.rows, "observation")} of ${example.projects.join(" and ")}.`);
  if (!output.json)
    output.note(
      `Try it:  CLAUDE_MEM_DB=${path} DIGEST_DB=${join(path, "..", "demo.db")} persisted-memory build`,
    );
  return Exit.done;
}

/** The real commands on a store that is gone afterwards; whatever the person has set up stays out of it. */
async function demo({ output, signal }: Context): Promise<ExitCode> {
  const folder = mkdtempSync(join(tmpdir(), "persisted-memory-demo-"));
  try {
    const source = join(folder, "example.db");
    const example = makeExample(source);
    const config = loadConfig({ HOME: folder, CLAUDE_MEM_DB: source, DIGEST_DB: join(folder, "digests.db") });
    const stage = createStage(output, folder);
    const exits: ExitCode[] = [];
    const show = async (command: Run, args: readonly unknown[], options: Record<string, unknown> = {}) => {
      exits.push(await command({ args, options }, { config, output: stage.output, signal, cwd: folder }));
    };
    stage.say(
      `An example: ${count(example.rows, "observation")} of two invented projects, as claude-mem would have stored them.`,
    );
    stage.step("cluster", "What is there, before anything is built");
    await show(cluster, []);
    stage.step("build", "Fold it into digests, without a model");
    await show(build, [[]]);
    stage.step("read widgets-api", "What a session in widgets-api starts with");
    await show(read, ["widgets-api"]);
    stage.step("build", "Build again: there is nothing new");
    await show(build, [[]]);
    stage.step("read --all", "What it costs");
    await show(read, [], { all: true });
    stage.say(NEXT);
    output.object({ example, steps: stage.objects });
    return worstExit(exits);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NEXT = `
That was all in a temporary folder, which is gone now. Next:

  persisted-memory cluster          the shape of your own claude-mem database; reads, never writes
  persisted-memory build --dry-run  what a first build would do
  persisted-memory build            do it; no model, no cost
  persisted-memory install          let Claude Code's sessions start with the block`;

interface Stage {
  /** For the commands: everything goes to stdout, where it belongs to the story; objects are kept. */
  output: Output;
  objects: { command: string; object: Record<string, unknown> }[];
  say(text: string): void;
  step(command: string, about: string): void;
}

function createStage(output: Output, folder: string): Stage {
  const { colours } = output;
  const objects: Stage["objects"] = [];
  let steps = 0;
  let command = "";
  const say = (text: string) => output.text(text.replaceAll(`${folder}/`, ""));
  return {
    objects,
    say,
    step: (line, about) => {
      steps += 1;
      command = line;
      say(`\n${colours.bold(`${figure(steps)}. ${about}`)}\n${colours.dim(`$ persisted-memory ${line}`)}\n`);
    },
    output: {
      ...output,
      interactive: false,
      text: say,
      note: say,
      warn: (text) => say(`warning: ${text}`),
      object: (object) => void objects.push({ command, object }),
    },
  };
}
