import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Environment } from "../paths.ts";
import type { Hook } from "./hook.ts";

/**
 * After a write to the index: tells the model at once which lines no longer load and which files lost their
 * last link, while it still knows why it wrote what it wrote. Writes to anything else cost a comparison.
 */
export const hook: Hook = async ({ raw, cwd }, env) => {
  const path = writtenPath(raw);
  if (path === null || basename(path) !== "MEMORY.md") return null;
  const directory = dirname(path);
  if (!(await isMemory(directory, cwd, env))) return null;
  const { lookAtWrite } = await import("../memory/write-check.ts");
  const words = lookAtWrite(directory, field(raw["tool_response"], "originalFile"));
  if (words === null) return null;
  return { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: words } };
};

const WRITES = ["Write", "Edit", "MultiEdit"];

function writtenPath(raw: Readonly<Record<string, unknown>>): string | null {
  const tool = raw["tool_name"];
  return typeof tool === "string" && WRITES.includes(tool) ? field(raw["tool_input"], "file_path") : null;
}

/** Only an index that Claude Code loads: this project's, or a subagent's. */
async function isMemory(directory: string, cwd: string, env: Environment): Promise<boolean> {
  if (/[/\\]agent-memory(-local)?[/\\][^/\\]+$/.test(directory)) return true;
  const { memoryPlace } = await import("../claude/memory-directories.ts");
  return real(directory) === real(memoryPlace(cwd, env).directory);
}

function field(value: unknown, name: string): string | null {
  if (typeof value !== "object" || value === null || !(name in value)) return null;
  const text: unknown = Reflect.get(value, name);
  return typeof text === "string" ? text : null;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
