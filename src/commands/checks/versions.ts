import pkg from "../../../package.json" with { type: "json" };
import { findClaude } from "../../model/claude-executable.ts";
import type { Check, Look } from "./check.ts";

const WAIT_MS = 10_000;

export const versions: Look = ({ config }) => [
  { check: "version", level: "pass", message: `persisted-memory ${pkg.version}` },
  bun(),
  claudeCode(findClaude(config.env)),
];

function bun(): Check {
  const message = `Bun ${Bun.version}, ${process.execPath}`;
  if (Bun.semver.satisfies(Bun.version, pkg.engines.bun)) return { check: "bun", level: "pass", message };
  return { check: "bun", level: "fail", message, hint: `Bun ${pkg.engines.bun} is needed: bun upgrade` };
}

function claudeCode(program: string | null): Check {
  if (program === null) {
    return {
      check: "claude-code",
      level: "warn",
      message: "Claude Code was not found",
      hint: "put `claude` on the PATH if you want its hooks or its models",
    };
  }
  const { exitCode, stdout } = Bun.spawnSync([program, "--version"], { timeout: WAIT_MS, stdin: "ignore" });
  const version = stdout.toString().trim();
  if (exitCode === 0)
    return { check: "claude-code", level: "pass", message: `Claude Code ${version}, ${program}` };
  return {
    check: "claude-code",
    level: "warn",
    message: `${program} --version fails`,
    hint: "run it yourself to see why",
  };
}
