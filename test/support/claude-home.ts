import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { realClaude } from "./real-packages.ts";

export interface ClaudeStart {
  argv: string[];
  env: Record<string, string>;
}

/** A person's HOME with Claude Code as they may have it: hooks of their own, and a plugin with hooks. */
export interface ClaudeHome extends Disposable {
  path: string;
  /**
   * For whoever is to start Claude Code: HOME, a PATH on which `claude` is the real program behind a
   * recorder, the Messages API to talk to, and the login of a subscription.
   */
  env: Record<string, string>;
  /** Hooks that have run, by the files that they wrote. */
  fired(): string[];
  /** Session files below `~/.claude/projects`. */
  sessions(): string[];
  /** How `claude` was started to answer a prompt. */
  starts(): ClaudeStart[];
}

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "Stop",
  "SessionEnd",
  "PreToolUse",
  "PostToolUse",
  "PreCompact",
  "Notification",
];

export async function claudeHome(apiUrl: string): Promise<ClaudeHome> {
  const path = mkdtempSync(join(tmpdir(), "pmem-claude-home-"));
  const claude = await realClaude();
  const log = join(path, "starts");
  const recorder = join(path, "bin", "claude");
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  const env = {
    HOME: path,
    PATH: `${join(path, "bin")}:${process.env["PATH"] ?? ""}`,
    ANTHROPIC_BASE_URL: apiUrl,
    CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-of-a-test",
  };
  mkdirSync(log);
  put("bin/claude", recorderScript(log, claude));
  chmodSync(recorder, 0o755);
  await installPlugin(path, claude, put);
  const settings = JSON.parse(readFileSync(join(path, ".claude/settings.json"), "utf8"));
  put(".claude/settings.json", JSON.stringify({ ...settings, hooks: hooksThatWrite(path, "user") }));
  put(".claude/CLAUDE.md", "REMEMBER-THE-USERS-OWN-RULES");

  const files = (pattern: string) =>
    Array.from(new Bun.Glob(pattern).scanSync({ cwd: path, dot: true })).toSorted();
  return {
    path,
    env,
    fired: () => files("fired-*"),
    sessions: () => files(".claude/projects/**/*"),
    starts: () =>
      files("starts/*.argv")
        .map((file) => readStart(join(path, file)))
        .filter(({ argv }) => argv.includes("-p")),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Writes down argv and environment, then becomes the real program. */
function recorderScript(log: string, claude: string): string {
  return [
    "#!/bin/sh",
    `start="${log}/$(date +%s%N)-$$"`,
    `[ $# -eq 0 ] || printf '%s\\0' "$@" > "$start.argv"`,
    `env -0 > "$start.env"`,
    `exec "${claude}" "$@"`,
    "",
  ].join("\n");
}

function readStart(argvFile: string): ClaudeStart {
  const parts = (file: string) =>
    existsSync(file) ? readFileSync(file, "utf8").split("\0").slice(0, -1) : [];
  const env = parts(argvFile.replace(/argv$/, "env")).map((line): [string, string] => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return { argv: parts(argvFile), env: Object.fromEntries(env) };
}

async function installPlugin(
  home: string,
  claude: string,
  put: (file: string, text: string) => void,
): Promise<void> {
  const plugin = { name: "noisy", source: "./noisy" };
  put(
    "market/.claude-plugin/marketplace.json",
    JSON.stringify({ name: "local", owner: { name: "test" }, plugins: [plugin] }),
  );
  put("market/noisy/.claude-plugin/plugin.json", JSON.stringify({ name: "noisy", version: "1.0.0" }));
  put("market/noisy/hooks/hooks.json", JSON.stringify({ hooks: hooksThatWrite(home, "plugin") }));
  for (const words of [
    ["marketplace", "add", join(home, "market")],
    ["install", "noisy@local"],
  ]) {
    const child = Bun.spawn([claude, "plugin", ...words], {
      cwd: home,
      env: { HOME: home, PATH: process.env["PATH"] ?? "", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
      stdout: "pipe",
      stderr: "pipe",
    });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  }
}

function hooksThatWrite(home: string, whose: string): object {
  return Object.fromEntries(
    EVENTS.map((event) => [
      event,
      [{ hooks: [{ type: "command", command: `touch "${join(home, `fired-${whose}-${event}`)}"` }] }],
    ]),
  );
}
