import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../text/files.ts";
import type { Message } from "./transcript.ts";
import { queueFolder, queuedNames } from "./waiting.ts";

/** What a hook copied out of a transcript, waiting to become an entry in a daily log. */
export interface Capture {
  session: string;
  /** The base's folder. */
  base: string;
  /** The project's folder, where the base is the project's own; else `null`. */
  project: string | null;
  /** The hook that took it. */
  event: CaptureEvent;
  /** Milliseconds. */
  at: number;
  messages: readonly Message[];
  /** How often a model refused it. */
  refusals: number;
}

export type CaptureEvent = "session-end" | "pre-compact";

/** Fewer turns say nothing yet; a compaction leaves them to the session's end. */
export const LEAST_TURNS: Readonly<Record<CaptureEvent, number>> = { "session-end": 2, "pre-compact": 5 };

export interface Queued {
  /** The file's name; in the order of time. */
  name: string;
  capture: Capture;
}

/** Adds a capture, whole, for the next flush. Light and quick: hooks call it. */
export function enqueue(state: string, capture: Capture): void {
  const name = `${String(capture.at).padStart(15, "0")}-${Bun.randomUUIDv7()}.json`;
  replaceFile(join(queueFolder(state), name), JSON.stringify(capture));
}

/** All that waits, oldest first. A file that is no capture is moved aside, never read again. */
export function readQueue(state: string): Queued[] {
  return queuedNames(state).flatMap((name) => {
    const path = join(queueFolder(state), name);
    const text = readText(path);
    if (text === null) return []; // flushed meanwhile by another process
    const capture = parseCapture(text);
    if (capture !== null) return [{ name, capture }];
    mkdirSync(join(queueFolder(state), "unreadable"), { recursive: true });
    renameSync(path, join(queueFolder(state), "unreadable", name));
    return [];
  });
}

export function replaceQueued(state: string, { name, capture }: Queued): void {
  replaceFile(join(queueFolder(state), name), JSON.stringify(capture));
}

export function removeQueued(state: string, name: string): void {
  rmSync(join(queueFolder(state), name), { force: true });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function parseCapture(text: string): Capture | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { session, base, project, event, at, messages, refusals } = value;
  if (typeof session !== "string" || typeof base !== "string" || typeof at !== "number") return null;
  if (!Array.isArray(messages)) return null;
  return {
    session,
    base,
    project: typeof project === "string" ? project : null,
    event: event === "pre-compact" ? "pre-compact" : "session-end",
    at,
    messages: messages.flatMap((message: unknown) => parseMessage(message) ?? []),
    refusals: typeof refusals === "number" ? refusals : 0,
  };
}

function parseMessage(value: unknown): Message | null {
  if (!isObject(value)) return null;
  const { role, text, hash } = value;
  if ((role !== "user" && role !== "assistant") || typeof text !== "string" || typeof hash !== "string")
    return null;
  return { role, text, hash };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
