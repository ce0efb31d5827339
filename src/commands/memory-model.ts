import { basename, dirname } from "node:path";
import type { Asked } from "../knowledge/answer.ts";
import type { Model } from "../model/model.ts";
import type { Context } from "./command.ts";
import { type KnowledgeModel, chooseKnowledgeModel } from "./knowledge-model.ts";

export interface MemoryAsk {
  /** `memory merge`, `memory audit` */
  command: string;
  promptVersion: string;
  directory: string;
}

/** The model that a memory command asks, `null` where the setting or flag names none. */
export function memoryModel(
  { model, useApiKey }: { model: string | undefined; useApiKey: boolean },
  command: string,
  { config, output }: Context,
): KnowledgeModel | null {
  const run = { command, useApiKey, warn: output.warn };
  return chooseKnowledgeModel(model ?? config.KNOWLEDGE_MODEL, config, run);
}

/** Asks once, with the call noted and its costs shown. */
export async function askMemoryModel<Value>(
  chosen: KnowledgeModel,
  { command, promptVersion, directory }: MemoryAsk,
  ask: (model: Model) => Promise<Asked<Value>>,
  { output }: Context,
): Promise<Asked<Value>> {
  output.note(chosen.payer);
  const started = chosen.start();
  let asked: Asked<Value> | null = null;
  try {
    asked = await ask(started.model({ purpose: command, promptVersion }, storeName(directory)));
    return asked;
  } finally {
    const outcome =
      asked === null
        ? "interrupted"
        : asked.kind === "answered"
          ? "done"
          : asked.kind === "paused"
            ? "paused"
            : "failed";
    started.finish({
      outcome,
      ...(asked === null || asked.kind === "answered" ? {} : { reason: asked.reason }),
    });
  }
}

/** Costs stand beside the project's folder name: `…/projects/-home-me-repo/memory` is `-home-me-repo`. */
function storeName(directory: string): string {
  return basename(directory) === "memory" ? basename(dirname(directory)) : basename(directory);
}
