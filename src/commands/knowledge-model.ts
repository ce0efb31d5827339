import { basename, join } from "node:path";
import type { Config } from "../config.ts";
import { type CallPurpose, type Guard, createGuard } from "../model/guard.ts";
import type { Model, Usage } from "../model/model.ts";
import { type ModelChoice, parseModel } from "../model/models.ts";
import { callLedger, usageOfRun } from "../store/calls.ts";
import { openStore } from "../store/open.ts";
import { type RunOutcome, finishRun, startRun } from "../store/runs.ts";

export interface KnowledgeModel {
  choice: Extract<ModelChoice, { kind: "model" }>;
  /** Which account its calls are charged to, in words for a person. */
  payer: string;
  /** Notes that a run begins; to be closed, however it ends. */
  start: () => KnowledgeRun;
}

/** A run of one command with a model, every call of it accounted for. */
export interface KnowledgeRun {
  guard: Guard;
  model: (purpose: Pick<CallPurpose, "purpose" | "promptVersion">, baseRoot: string) => Model;
  /** Ends it. Returns what its calls took. */
  finish: (end: { outcome: RunOutcome; reason?: string }) => Usage;
}

/** The model that a word asks for; `null` where it asks for none. Nothing is opened yet. */
export function chooseKnowledgeModel(
  word: string,
  config: Config,
  run: { command: string; useApiKey: boolean; warn: (text: string) => void },
): KnowledgeModel | null {
  const choice = parseModel(word);
  if (choice.kind === "none") return null;
  return {
    choice,
    payer: choice.provider.payer({ env: config.env, useApiKey: run.useApiKey }),
    start: () => startModelRun(choice, config, run),
  };
}

/** How a base is named where its costs stand. */
export function costName(baseRoot: string): string {
  return basename(baseRoot);
}

function startModelRun(
  choice: KnowledgeModel["choice"],
  config: Config,
  { command, useApiKey, warn }: { command: string; useApiKey: boolean; warn: (text: string) => void },
): KnowledgeRun {
  const store = openStore(config.DIGEST_DB);
  const runId = startRun(store, { command, model: choice.word, at: Date.now() });
  const guard = createGuard(
    callLedger(store, runId, {
      callsPerRun: config.MAX_CALLS_PER_RUN,
      callsPerDay: config.MAX_CALLS_PER_DAY,
      inputTokensPerDay: config.MAX_INPUT_TOKENS_PER_DAY,
    }),
  );
  const model = choice.provider.open(choice.model, {
    env: config.env,
    useApiKey,
    // a compile writes whole pages
    timeoutMs: 2 * config.MODEL_TIMEOUT_SECONDS * 1000,
    workingFolder: join(config.paths.state, "model"),
    warn,
  });
  return {
    guard,
    model: (purpose, root) =>
      guard.model(model, { ...purpose, project: costName(root), type: "", model: choice.word, batchRows: 0 }),
    finish: (end) => {
      try {
        finishRun(store, runId, { at: Date.now(), ...end });
        return usageOfRun(store, runId);
      } finally {
        store.close();
      }
    },
  };
}
