import type { Guard } from "../model/guard.ts";
import type { Model } from "../model/model.ts";
import { replaceFile } from "../text/files.ts";
import type { LockHolder } from "../text/lock.ts";
import { type Asked, ask } from "./answer.ts";
import type { Base } from "./base.ts";
import { type PageChange, filesOf, pageOf } from "./change.ts";
import { commitFiles } from "./commit.ts";
import { logHash, logParts } from "./daily.ts";
import { localDay } from "./day.ts";
import { type LoadedBase, editedPaths, loadBase, lockBase, readText } from "./loaded.ts";
import { type CompileBatch, type CompileSelection, dueLogs, halves, planCompile } from "./plan.ts";
import { compilePrompt } from "./prompts/compile.ts";
import { SPECIFICATION } from "./prompts/specification.ts";
import { type Proposal, readProposals } from "./proposal.ts";
import { noteRefusal } from "./refusals.ts";
import { requestFor } from "./request.ts";

export interface CompileOptions {
  base: Base;
  /** The state directory. */
  state: string;
  selection: CompileSelection;
  /** The model for one log, accounted for by whoever gives it. */
  model: (log: string) => Model;
  guard: Pick<Guard, "job">;
  now: () => Date;
  signal: AbortSignal;
  /** Called when a batch is done. */
  progress: (batch: CompileBatch, end: BatchEnd) => void;
}

export interface CompileReport {
  /** Another process compiles this base; nothing was done. */
  locked: LockHolder | "unknown" | null;
  done: readonly { log: string; created: readonly string[]; updated: readonly string[] }[];
  /** Logs that were refused too often as they are; asked for by name they are tried again. */
  givenUp: readonly string[];
  failures: readonly {
    log: string;
    code: "refused" | "unreadable" | "conflict";
    reason: string;
    findings: readonly string[];
  }[];
  paused: { reason: string; resumeAt?: Date } | null;
}

export type BatchEnd =
  | { kind: "compiled"; created: readonly string[]; updated: readonly string[] }
  | {
      kind: "refused";
      code: CompileReport["failures"][number]["code"];
      reason: string;
      findings: readonly string[];
      tooLong: boolean;
    }
  | { kind: "paused"; reason: string; resumeAt?: Date };

/**
 * Compiles logs into articles, batch by batch; each batch is written whole or not at all, with the note
 * that it was compiled, so that an interrupted run goes on where it stopped. A log that is refused leaves
 * the base as it was and does not hold up the others. Aborted: throws the signal's reason.
 */
export async function compile(options: CompileOptions): Promise<CompileReport> {
  const { base, state } = options;
  const lock = lockBase(base, state);
  if (lock.kind === "busy")
    return { locked: lock.holder ?? "unknown", done: [], givenUp: [], failures: [], paused: null };
  try {
    const loaded = loadBase(base);
    const plan = planCompile(loaded, options.selection);
    const due = dueLogs(loaded, options.selection, state);
    const givenUp = [...new Set(plan.map(({ log }) => log))].filter((log) => !due.includes(log));
    const report = await compileAll(
      options,
      plan.filter(({ log }) => due.includes(log)),
    );
    return { locked: null, givenUp, ...report };
  } finally {
    lock.release();
  }
}

async function compileAll(
  options: CompileOptions,
  plan: readonly CompileBatch[],
): Promise<Pick<CompileReport, "done" | "failures" | "paused">> {
  const done: { log: string; created: readonly string[]; updated: readonly string[] }[] = [];
  const failures: CompileReport["failures"][number][] = [];
  const waiting = [...plan];
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    options.signal.throwIfAborted();
    const { log, parts } = batch;
    const end = await options.guard.job(() => compileBatch({ ...options, batch: batch as CompileBatch }));
    if (end.kind === "refused" && end.tooLong && parts.length > 1) {
      waiting.unshift(...halves(batch));
      continue;
    }
    options.progress(batch, end);
    if (end.kind === "paused") return { done, failures, paused: end };
    if (end.kind === "compiled") {
      done.push({ log, created: end.created, updated: end.updated });
      continue;
    }
    failures.push({ log, code: end.code, reason: end.reason, findings: end.findings });
    noteRefusal(options.state, options.base.root, log, logHash(loadBase(options.base).logs.get(log) ?? ""));
    // the rest of the same log would claim to be the whole of it
    for (let next = waiting[0]; next?.log === log; next = waiting[0]) waiting.shift();
  }
  return { done, failures, paused: null };
}

interface BatchOptions extends CompileOptions {
  batch: CompileBatch;
}

async function compileBatch(options: BatchOptions): Promise<BatchEnd> {
  const { batch, base, now } = options;
  const loaded = loadBase(base);
  const asked = await askForPages(options, loaded);
  if (asked.kind === "paused") return asked;
  if (asked.kind === "refused") {
    return {
      kind: "refused",
      code: asked.gate ? "refused" : "unreadable",
      reason: asked.reason,
      findings: asked.findings,
      tooLong: asked.tooLong,
    };
  }
  const pages = asked.value.map((proposal) => pageOf(proposal, loaded, batch.log, localDay(now())));
  const change = describe(loaded, batch, asked.value, { pages, at: now() });
  const committed = commitFiles(base.knowledge, filesOf(loaded, change));
  if (committed.kind === "conflict") {
    const reason = `${committed.path}: ${committed.reason}`;
    return { kind: "refused", code: "conflict", reason, findings: [], tooLong: false };
  }
  if (readText(base.specification) === null) replaceFile(base.specification, SPECIFICATION);
  return {
    kind: "compiled",
    created: pathsOf(asked.value, "create"),
    updated: pathsOf(asked.value, "update"),
  };
}

/** Asks; where the answer turns on a page that was not given in full, gives that one too and asks again. */
async function askForPages(options: BatchOptions, loaded: LoadedBase): Promise<Asked<readonly Proposal[]>> {
  const { batch, signal, model } = options;
  const articles = new Map(loaded.articles.map((article) => [article.path, article]));
  const edited = editedPaths(loaded);
  const request = requestFor(batch, loaded);
  let given = request.articles;
  for (;;) {
    const wanted = new Set<string>();
    const view = {
      articles,
      edited,
      log: batch.log,
      logs: new Set(loaded.logs.keys()),
      given: new Set(given.map(({ article }) => article.path)),
    };
    const read = (answer: string) => {
      const reading = readProposals(answer, view);
      if (reading.kind !== "rejected") return reading;
      for (const path of articles.keys()) {
        if (!view.given.has(path) && reading.findings.some((finding) => finding.includes(path)))
          wanted.add(path);
      }
      return reading;
    };
    const asked = await ask(model(batch.log), compilePrompt({ ...request, articles: given }), read, signal);
    const more = [...wanted].flatMap((path) => articles.get(path) ?? []);
    if (asked.kind !== "refused" || more.length === 0 || given !== request.articles) return asked;
    given = [...more.map((article) => ({ article, edited: edited.has(article.path) })), ...given];
  }
}

function describe(
  loaded: LoadedBase,
  { log, parts, last }: CompileBatch,
  proposals: readonly Proposal[],
  { pages, at }: { pages: readonly PageChange[]; at: Date },
) {
  const links = (action: Proposal["action"]) =>
    pathsOf(proposals, action)
      .map((path) => `[[${path}]]`)
      .join(", ");
  const known = loaded.record.logs[log]?.parts ?? [];
  const current = new Set(logParts(loaded.logs.get(log) ?? "").map(({ hash }) => hash));
  const compiled = new Set([...known, ...parts.map(({ hash }) => hash)].filter((hash) => current.has(hash)));
  const whole = last && [...current].every((hash) => compiled.has(hash));
  return {
    pages,
    entry: {
      at,
      operation: "compile" as const,
      subject: `daily/${log}`,
      bullets: [
        ["source", `[[daily/${log}]]`],
        ["created", links("create")],
        ["updated", links("update")],
      ] as const,
    },
    logs: {
      ...loaded.record.logs,
      [log]: { hash: whole ? logHash(loaded.logs.get(log) ?? "") : null, parts: [...compiled] },
    },
    compiledAt: at.toISOString(),
  };
}

function pathsOf(proposals: readonly Proposal[], action: Proposal["action"]): string[] {
  return proposals.filter((proposal) => proposal.action === action).map(({ path }) => path);
}
