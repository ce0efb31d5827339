import { join } from "node:path";
import type { Config } from "../config.ts";
import { gate } from "../digest/gate.ts";
import { extractive } from "../merge/extractive.ts";
import type { Merge } from "../merge/merge.ts";
import { mock } from "../merge/mock.ts";
import { modelMerge } from "../merge/model.ts";
import { PROMPT_VERSION } from "../merge/prompt.ts";
import { createGuard } from "../model/guard.ts";
import { type ModelChoice, parseModel } from "../model/models.ts";
import { callLedger } from "../store/calls.ts";
import type { Store } from "../store/open.ts";

/** The merge that a word asks for, and what a person should know before it runs. */
export interface ChosenMerge {
  choice: ModelChoice;
  /** Which account pays; null where nobody does. */
  payer: string | null;
  /** No call costs anybody anything. */
  isFree: boolean;
  open: (store: Store, runId: number) => Merge;
}

export function chooseMerge(
  word: string,
  config: Config,
  options: { useApiKey: boolean; warn: (text: string) => void },
): ChosenMerge {
  const choice = parseModel(word);
  if (choice.kind === "none") {
    return { choice, payer: null, isFree: true, open: () => (choice.word === "mock" ? mock : extractive) };
  }
  const { provider, model } = choice;
  const workingFolder = join(config.paths.state, "model");
  return {
    choice,
    payer: provider.payer({ env: config.env, useApiKey: options.useApiKey }),
    isFree: provider.isFree?.(config.env) ?? false,
    open: (store, runId) => {
      const guard = createGuard(
        callLedger(store, runId, {
          callsPerRun: config.MAX_CALLS_PER_RUN,
          callsPerDay: config.MAX_CALLS_PER_DAY,
          inputTokensPerDay: config.MAX_INPUT_TOKENS_PER_DAY,
        }),
      );
      const asked = provider.open(model, {
        env: config.env,
        timeoutMs: config.MODEL_TIMEOUT_SECONDS * 1000,
        workingFolder,
        ...options,
      });
      const merge = modelMerge({
        ask: ({ project, type, observations }) =>
          guard.model(asked, {
            purpose: "merge",
            project,
            type,
            model: word,
            promptVersion: PROMPT_VERSION,
            batchRows: observations.length,
          }),
        check: (request, operations) =>
          gate(request, operations).map(({ code, message }) => `${code}: ${message}`),
      });
      return (request, signal) => guard.job(() => merge(request, signal));
    },
  };
}
