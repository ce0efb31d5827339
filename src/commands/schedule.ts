import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type InstalledSchedule, forgetSchedule, noteSchedule, readSchedule } from "../claude/nightly.ts";
import { ownCommand, ownProgram } from "../claude/program.ts";
import {
  SCHEDULERS,
  type Schedule,
  type Scheduler,
  type Step,
  scheduleFor,
  usualScheduler,
} from "../claude/schedule.ts";
import { type Config, SETTINGS, type SettingName } from "../config.ts";
import { Exit, UserError } from "../errors.ts";
import { replaceFile } from "../text/files.ts";
import type { Context, Run } from "./command.ts";
import { figure } from "./figures.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  at: z
    .string()
    .regex(/^([01]?\d|2[0-3]):[0-5]\d$/, "a time like 03:30")
    .default("03:30"),
  with: z.enum(SCHEDULERS).optional(),
  apply: z.boolean().default(false),
  remove: z.boolean().default(false),
});

export const run: Run = async ({ options }, context) => {
  const flags = checkOptions(Options, options);
  const { config } = context;
  const known = readSchedule(config.paths.state);
  const scheduler =
    flags.with ??
    (flags.remove ? known?.scheduler : undefined) ??
    usualScheduler(config.env, process.platform);
  const job: Job = { scheduler, time: flags.at, schedule: planFor(scheduler, flags.at, config), known };
  if (flags.remove) remove(job, flags.apply, context);
  else install(job, flags.apply, context);
  return Exit.done;
};

interface Job {
  scheduler: Scheduler;
  time: string;
  schedule: Schedule;
  /** What an earlier `schedule --apply` left. */
  known: InstalledSchedule | null;
}

function planFor(scheduler: Scheduler, time: string, config: Config): Schedule {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const words = [...ownCommand(ownProgram(config.env), envFile(config)), "build", "--yes"];
  const log = join(config.paths.state, "nightly.log");
  const crontab = scheduler === "cron" ? currentCrontab(config) : "";
  return scheduleFor(scheduler, { hour, minute, words, log }, { env: config.env, crontab });
}

/** Keys and settings for the night, the user's alone: a unit file may be read by others. */
function envFile(config: Config): string {
  return join(config.paths.config, "env");
}

function install(job: Job, apply: boolean, context: Context): void {
  const { config, output } = context;
  const { scheduler, time, schedule } = job;
  const lost = settingsLostAtNight(config);
  if (apply) {
    if (!existsSync(envFile(config))) replaceFile(envFile(config), envText(lost));
    start(job, config);
  }
  output.object({
    scheduler,
    time,
    applied: apply,
    files: schedule.files,
    commands: schedule.start.map(({ words }) => words.join(" ")),
    envFile: envFile(config),
    settingsFromEnvironment: Object.keys(lost),
    caps: {
      callsPerRun: config.MAX_CALLS_PER_RUN,
      callsPerDay: config.MAX_CALLS_PER_DAY,
      inputTokensPerDay: config.MAX_INPUT_TOKENS_PER_DAY,
    },
  });
  print(job, lost, context);
  output.text(
    apply
      ? "Installed."
      : `Nothing was installed. \`persisted-memory schedule --at ${time} --apply\` does it.`,
  );
}

/** All or nothing: what cannot be started leaves no files behind. */
function start({ scheduler, time, schedule, known }: Job, config: Config): void {
  if (known !== null) stop(planFor(known.scheduler, known.time, config), known, config);
  const files = schedule.files.map(({ path }) => path);
  for (const { path, content } of schedule.files) {
    // schtasks takes no other encoding
    replaceFile(path, scheduler === "windows" ? Buffer.from(`\ufeff${content}`, "utf16le") : content, 0o644);
  }
  try {
    for (const step of schedule.start) take(step, config);
  } catch (error) {
    for (const path of files) rmSync(path, { force: true });
    throw error;
  }
  noteSchedule(config.paths.state, { scheduler, time, since: new Date().toISOString(), files });
}

function remove({ scheduler, schedule, known }: Job, apply: boolean, { config, output }: Context): void {
  const files = known?.files ?? schedule.files.map(({ path }) => path);
  if (apply) stop(schedule, known ?? { files }, config);
  output.object({
    scheduler,
    removed: apply,
    files,
    commands: schedule.stop.map(({ words }) => words.join(" ")),
  });
  for (const step of schedule.stop) output.text(stepText(step));
  for (const path of files) output.text(`remove ${path}`);
  output.text(
    apply ? "\nRemoved." : "\nNothing was removed. `persisted-memory schedule --remove --apply` does it.",
  );
}

/** A job that is no longer there is as good as removed. */
function stop(schedule: Schedule, { files }: { files: readonly string[] }, config: Config): void {
  for (const step of schedule.stop) tryStep(step, config);
  for (const path of files) rmSync(path, { force: true });
  forgetSchedule(config.paths.state);
}

function print({ schedule }: Job, lost: Readonly<Record<string, string>>, { config, output }: Context): void {
  for (const { path, content } of schedule.files) output.text(`# ${path}\n${content}`);
  for (const step of schedule.start) output.text(stepText(step));
  output.text(`\nKeys that a model needs go into ${envFile(config)}, as NAME=value; only you can read it.`);
  if (Object.keys(lost).length > 0) {
    output.text(
      `The night does not see your shell: ${Object.keys(lost).join(", ")} must stand there or in config.json too.`,
    );
  }
  output.text(
    `A night makes at most ${figure(config.MAX_CALLS_PER_RUN)} model calls (MAX_CALLS_PER_RUN), with ${config.MERGE_MODEL} as the merge.`,
  );
}

function stepText({ words, input }: Step): string {
  return input === undefined ? words.join(" ") : `${input}| ${words.join(" ")}`;
}

/** Set in this shell only. Where our files and Claude Code's are matters as much as our settings. */
function settingsLostAtNight({ env, origins }: Config): Record<string, string> {
  const ours = (Object.keys(SETTINGS) as SettingName[]).filter((name) => origins[name] === "environment");
  const places = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_MEM_DATA_DIR",
  ];
  return Object.fromEntries([...ours, ...places].flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

function envText(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return ["# Variables of the nightly run: keys, and settings that only your shell had.", ...lines, ""].join(
    "\n",
  );
}

/** Whoever has no table yet gets an error; any other must not be taken for an empty table. */
function currentCrontab(config: Config): string {
  const step = { words: ["crontab", "-l"] };
  const listed = call(step, config);
  if (listed === null || /no crontab for/i.test(listed.stderr)) return "";
  if (listed.code !== 0) throw refused(step, listed);
  return listed.stdout;
}

function take(step: Step, config: Config): void {
  const done = call(step, config);
  if (done?.code !== 0) throw refused(step, done);
}

function refused({ words }: Step, done: { stderr: string } | null): UserError {
  return new UserError({
    code: "scheduler-failed",
    message:
      done === null ? `there is no ${words[0]} here` : `\`${words.join(" ")}\` failed: ${done.stderr.trim()}`,
    hint: `--with names another scheduler: ${SCHEDULERS.join(", ")}`,
    exit: Exit.environment,
  });
}

function tryStep(step: Step, config: Config): void {
  call(step, config);
}

/** `null`: no such program. */
function call(
  { words, input }: Step,
  { env }: Config,
): { code: number; stdout: string; stderr: string } | null {
  const [program = "", ...args] = words;
  const path = Bun.which(program, { PATH: env["PATH"] ?? "" });
  if (path === null) return null;
  const child = Bun.spawnSync([path, ...args], { env: { ...env }, stdin: Buffer.from(input ?? "") });
  return { code: child.exitCode, stdout: child.stdout.toString(), stderr: child.stderr.toString() };
}
