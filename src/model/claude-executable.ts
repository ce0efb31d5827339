import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Environment, homeDirectory } from "../paths.ts";

/**
 * Claude Code's program: on the PATH, else where its installers put it; `null` where there is none. On
 * Windows always the `.exe`: a `.cmd` cannot be started without a shell.
 */
export function findClaude(env: Environment, platform: NodeJS.Platform = process.platform): string | null {
  const path = env["PATH"] ?? env["Path"] ?? "";
  const candidates = platform === "win32" ? windowsPlaces(env, path) : unixPlaces(env, path);
  return candidates.find((candidate) => existsSync(candidate)) ?? null;
}

function unixPlaces(env: Environment, path: string): string[] {
  const home = homeDirectory(env);
  return [
    Bun.which("claude", { PATH: path }) ?? [],
    join(home, ".local/bin/claude"),
    join(home, ".claude/local/claude"),
    "/opt/homebrew/bin/claude",
    "/usr/local/bin/claude",
    join(env["NPM_CONFIG_PREFIX"] || join(home, ".npm-global"), "bin/claude"),
    join(home, ".volta/bin/claude"),
    join(home, ".bun/bin/claude"),
  ].flat();
}

function windowsPlaces(env: Environment, path: string): string[] {
  const fromNpm = (folder: string) => join(folder, "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
  const shim = Bun.which("claude.cmd", { PATH: path });
  return [
    Bun.which("claude.exe", { PATH: path }) ?? [],
    shim === null ? [] : fromNpm(dirname(shim)),
    join(homeDirectory(env), ".local/bin/claude.exe"),
    env["APPDATA"] ? fromNpm(join(env["APPDATA"], "npm")) : [],
  ].flat();
}
