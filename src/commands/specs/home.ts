import type { CommandSpec } from "../command.ts";

const SCOPE = [
  { flags: "--project", meaning: "in .claude/settings.json of this folder, for everybody who works in it" },
  { flags: "--local", meaning: "in .claude/settings.local.json of this folder, for you alone" },
] as const;
const APPLY = { flags: "--apply", meaning: "write it; without, only show what would be written" } as const;

export const HOME_COMMANDS: readonly CommandSpec[] = [
  {
    name: "install",
    summary: "Have Claude Code call our hooks: digests at the start of a session, upkeep at its end",
    options: [
      ...SCOPE,
      {
        flags: "--hooks <names>",
        meaning:
          "which of session-start, session-start-knowledge, session-end, pre-compact, user-prompt-submit, post-tool-use, with commas; or `all` (session-start,session-end)",
      },
      APPLY,
    ],
    examples: [
      { line: "persisted-memory install", does: "show what it would write into your settings" },
      { line: "persisted-memory install --apply", does: "write it, after a copy of the file" },
      {
        line: "persisted-memory install --local --hooks all --apply",
        does: "every hook, for you in this folder",
      },
    ],
    json: true,
    load: () => import("../install.ts"),
  },
  {
    name: "uninstall",
    summary: "Take our hooks out of Claude Code's settings and leave everything else as it is",
    options: [...SCOPE, APPLY],
    examples: [
      { line: "persisted-memory uninstall", does: "show what it would take out" },
      {
        line: "persisted-memory uninstall --apply",
        does: "take it out; a file that nobody changed since gets its old bytes",
      },
    ],
    json: true,
    load: () => import("../uninstall.ts"),
  },
  {
    name: "schedule",
    summary: "Fold what is new every night: a systemd timer, launchd agent, cron line or Windows task",
    options: [
      { flags: "--at <time>", meaning: "local time (03:30)" },
      {
        flags: "--with <scheduler>",
        meaning: "instead of the system's usual one",
        choices: ["systemd", "launchd", "cron", "windows"],
      },
      { flags: "--remove", meaning: "take it away again" },
      { flags: "--apply", meaning: "do it; without, only show what would be done" },
    ],
    examples: [
      { line: "persisted-memory schedule", does: "show what it would install" },
      { line: "persisted-memory schedule --at 02:15 --apply", does: "install it" },
      { line: "persisted-memory schedule --remove --apply", does: "remove it" },
    ],
    json: true,
    load: () => import("../schedule.ts"),
  },
  {
    name: "doctor",
    summary: "Check everything from Bun to the block, one line each; exit 1 where something is broken",
    options: [{ flags: "--fix", meaning: "mend what is safe to mend, and say what that was" }],
    examples: [
      { line: "persisted-memory doctor", does: "pass, warn or fail, with what to do about it" },
      {
        line: "persisted-memory doctor --json",
        does: "the same for a script, with every setting and where it came from",
      },
    ],
    json: true,
    load: () => import("../doctor.ts"),
  },
  {
    name: "completion",
    summary: "Print a script that completes commands and options in your shell",
    args: [{ notation: "<shell>", meaning: "the shell to complete in", choices: ["bash", "zsh", "fish"] }],
    examples: [
      { line: "persisted-memory completion bash", does: "for `source <(…)` in ~/.bashrc" },
      { line: "persisted-memory completion zsh", does: "for a file _persisted-memory in your $fpath" },
      {
        line: "persisted-memory completion fish",
        does: "for ~/.config/fish/completions/persisted-memory.fish",
      },
    ],
    json: false,
    load: () => import("../completion.ts"),
  },
];
