import { readFileSync } from "node:fs";
import type { Environment } from "../paths.ts";

/** What claude-mem itself puts into sessions. */
export interface ClaudeMemContext {
  /** claude-mem's settings file. */
  path: string;
  /** `CLAUDE_MEM_CONTEXT_OBSERVATIONS`: so many of its newest observations. */
  observations: number;
}

const NAME = "CLAUDE_MEM_CONTEXT_OBSERVATIONS";
/** claude-mem's own default. */
const OBSERVATIONS = 50;

/** `path`: claude-mem's settings file, which may not exist. The environment wins over it, as in claude-mem. */
export function claudeMemContext(path: string, env: Environment): ClaudeMemContext {
  const number = Number.parseInt(String(env[NAME] ?? inFile(path) ?? OBSERVATIONS), 10);
  return { path, observations: Number.isNaN(number) ? OBSERVATIONS : number };
}

/**
 * How a person leaves the start of sessions to the digests, and how they undo that. Measured on claude-mem 13.25.3: at
 * 0 its list of observations is gone and its last session's summary stays; observations are recorded as before.
 */
export function loweringAdvice({ path, observations }: ClaudeMemContext): string {
  return `in ${path} set "${NAME}": "0"; to undo it, "${observations}"`;
}

/** Not its relatives, which have settings of their own. */
export function isClaudeMem(tool: string): boolean {
  return tool === "claude-mem";
}

function inFile(path: string): unknown {
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
    return field(field(file, "env"), NAME) ?? field(file, NAME);
  } catch {
    return undefined; // claude-mem has its defaults then
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
