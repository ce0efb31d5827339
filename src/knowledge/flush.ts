import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Guard } from "../model/guard.ts";
import type { Model } from "../model/model.ts";
import { replaceFile } from "../text/files.ts";
import { acquireLock } from "../text/lock.ts";
import { redact } from "../text/redact.ts";
import { type Reading, ask } from "./answer.ts";
import { sha256 } from "./article.ts";
import { type Base, baseAt, ownerFile, readOwner } from "./base.ts";
import { appendEntry, holdsEntry } from "./entry.ts";
import { extractNotes } from "./extract.ts";
import { noteFlushed, readFlushed } from "./flushed.ts";
import { NOTHING, type Notes, parseNotes } from "./notes.ts";
import { flushPrompt } from "./prompts/flush.ts";
import { type Capture, LEAST_TURNS, type Queued, readQueue, removeQueued, replaceQueued } from "./queue.ts";
import { type Message, countTurns } from "./transcript.ts";

export interface FlushOptions {
  /** The state directory. */
  state: string;
  /** Who is asked, every call accounted for by whoever gives it; `null`: by rules, offline. */
  asked: { model: (capture: Capture) => Model; guard: Pick<Guard, "job"> } | null;
  now: () => Date;
  signal: AbortSignal;
}

export interface FlushReport {
  /** Another process is at it and will see all that waits. */
  locked: boolean;
  flushed: readonly FlushedCapture[];
  /** A model that will not answer for now; what waits stays. */
  paused: { reason: string; resumeAt?: Date } | null;
  /** When the earliest of those that wait because their session was flushed just now is due. */
  dueAt: Date | null;
}

export interface FlushedCapture {
  session: string;
  base: string;
  /** `written`: in its day's log · `nothing`: a placeholder is · `repeated`: all of it was there · `too-short` · `waiting` · `refused`: stays for the next try. */
  outcome: "written" | "nothing" | "repeated" | "too-short" | "waiting" | "refused";
  reason?: string;
}

/** A second flush of a session so soon would only cut one entry into two. */
const SAME_SESSION_MS = 60_000;
/** What a model refuses so often is written down by rules, so that it is neither lost nor paid for again. */
const MOST_REFUSALS = 3;

/**
 * Turns all that waits into entries of daily logs, oldest first; whatever is interrupted is done once, by
 * the next run. Aborted: throws the signal's reason between captures or from the model's call.
 */
export async function flush(options: FlushOptions): Promise<FlushReport> {
  const report: FlushReport = { locked: false, flushed: [], paused: null, dueAt: null };
  const tried = new Set<string>();
  for (;;) {
    const lock = acquireLock(join(options.state, "knowledge", "flush.lock"));
    if (lock.kind === "busy") return { ...report, locked: report.flushed.length === 0 };
    let round: Round;
    try {
      round = await flushRound(options, tried);
    } finally {
      lock.release();
    }
    report.flushed = [...report.flushed, ...round.flushed];
    report.paused = round.paused;
    report.dueAt = earlier(report.dueAt, round.dueAt);
    // what came in while the lock was held found it busy and went away
    const more = readQueue(options.state).some(({ name }) => !tried.has(name));
    if (!more || round.paused !== null) return report;
  }
}

type Round = Pick<FlushReport, "flushed" | "paused" | "dueAt">;

async function flushRound(options: FlushOptions, tried: Set<string>): Promise<Round> {
  const flushed: FlushedCapture[] = [];
  let dueAt: Date | null = null;
  const job: <Done extends End>(run: () => Promise<Done>) => Promise<End> =
    options.asked?.guard.job ?? ((run) => run());
  for (const queued of readQueue(options.state).filter(({ name }) => !tried.has(name))) {
    options.signal.throwIfAborted();
    tried.add(queued.name);
    const { session, base } = queued.capture;
    const end = await job(() => flushOne(queued, options));
    if (end.kind === "paused") return { flushed, dueAt, paused: end };
    if (end.kind === "waiting") dueAt = earlier(dueAt, end.until);
    flushed.push({
      session,
      base,
      outcome: end.kind,
      ...(end.kind === "refused" ? { reason: end.reason } : {}),
    });
  }
  return { flushed, dueAt, paused: null };
}

function earlier(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

type End =
  | { kind: "written" | "nothing" | "repeated" | "too-short" }
  | { kind: "waiting"; until: Date }
  | { kind: "refused"; reason: string }
  | { kind: "paused"; reason: string; resumeAt?: Date };

/** The order (log, note of what is in it, queue) is what makes a kill between any two harmless. */
async function flushOne(queued: Queued, options: FlushOptions): Promise<End> {
  const { state, now } = options;
  const { capture, name } = queued;
  const step = plan(capture, readFlushed(state, capture.base), now());
  if (step.kind === "waiting") return step;
  if (step.kind !== "flush") {
    removeQueued(state, name);
    return step;
  }
  const base = baseAt(capture.base);
  const entry = { session: capture.session, turns: step.turns, at: new Date(capture.at) };
  let kind: "written" | "nothing" = "written";
  if (!holdsEntry(base.daily, entry)) {
    const noted = await takeNotes(queued, step.messages, options);
    if (noted.kind !== "noted") return noted;
    if (capture.project !== null) claim(base, capture.project);
    removeLeftovers(base.daily);
    appendEntry(base.daily, { ...entry, notes: noted.notes });
    kind = noted.notes === NOTHING ? "nothing" : "written";
  }
  noteFlushed(state, capture.base, {
    session: capture.session,
    at: now().getTime(),
    hashes: step.messages.map(({ hash }) => hash),
  });
  removeQueued(state, name);
  return { kind };
}

type Step =
  | { kind: "flush"; messages: readonly Message[]; turns: string }
  | { kind: "repeated" | "too-short" }
  | { kind: "waiting"; until: Date };

function plan(capture: Capture, flushed: ReturnType<typeof readFlushed>, now: Date): Step {
  const known = new Set(flushed.hashes);
  const messages = capture.messages.filter(({ hash }) => !known.has(hash));
  if (messages.length === 0) return { kind: "repeated" };
  if (countTurns(messages) < LEAST_TURNS[capture.event]) return { kind: "too-short" };
  const until = new Date((flushed.sessions[capture.session] ?? 0) + SAME_SESSION_MS);
  if (until > now) return { kind: "waiting", until };
  return { kind: "flush", messages, turns: sha256(messages.map(({ hash }) => hash).join("\n")).slice(0, 16) };
}

type Noted = { kind: "noted"; notes: Notes | typeof NOTHING } | Extract<End, { kind: "refused" | "paused" }>;

async function takeNotes(queued: Queued, found: readonly Message[], options: FlushOptions): Promise<Noted> {
  const { capture } = queued;
  const messages = found.map((message) => ({ ...message, text: redact(message.text).text }));
  if (options.asked === null || capture.refusals >= MOST_REFUSALS) {
    return { kind: "noted", notes: extractNotes(messages) };
  }
  const prompt = flushPrompt(messages, new Date(capture.at));
  const asked = await ask(options.asked.model(capture), prompt, readNotes, options.signal);
  if (asked.kind === "answered") return { kind: "noted", notes: asked.value };
  if (asked.kind === "paused") return asked;
  replaceQueued(options.state, { ...queued, capture: { ...capture, refusals: capture.refusals + 1 } });
  return { kind: "refused", reason: asked.reason };
}

function readNotes(answer: string): Reading<Notes | typeof NOTHING> {
  const notes = parseNotes(answer);
  return notes === null
    ? { kind: "unreadable", findings: [`the answer has none of the five sections and is not ${NOTHING}`] }
    : { kind: "read", value: notes };
}

/** Makes a project's base its own, also where the project moved. */
function claim({ root }: Base, project: string): void {
  if (readOwner(root) !== project) replaceFile(ownerFile(root), `${project}\n`);
}

/** Halves of logs that a killed process left beside them; nobody else writes there while the lock is held. */
function removeLeftovers(daily: string): void {
  let names: string[];
  try {
    names = readdirSync(daily);
  } catch {
    return; // the first entry makes the folder
  }
  for (const name of names) {
    if (/^\d{4}-\d{2}-\d{2}\.md\.\d+$/.test(name)) rmSync(join(daily, name), { force: true });
  }
}
