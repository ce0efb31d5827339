import { usageError } from "../errors.ts";
import type { Environment } from "../paths.ts";
import { nearest } from "../text/nearest.ts";
import { claudeCli } from "./claude-cli.ts";
import { claudePayer } from "./claude-environment.ts";
import type { Model } from "./model.ts";
import { isOpenAiFree, openAiCompatible, openAiPayer } from "./openai-compatible.ts";

/** What a provider may need to know to make a model. */
export interface ModelOptions {
  env: Environment;
  /** A person said that an API key, gateway or cloud account may be billed. */
  useApiKey: boolean;
  /** For one call, in milliseconds. */
  timeoutMs: number;
  /** A folder of our own for programs to run in, without any project's files; may not exist yet. */
  workingFolder: string;
  warn: (text: string) => void;
}

/** A family of models that one file talks to. */
export interface Provider {
  /** How its models are written in `MERGE_MODEL`: whole words, or a pattern with `…` or capitals. */
  words: readonly string[];
  /** The model's name at the provider, or `null` where the word is not one of its own. */
  accepts(word: string): string | null;
  /** Which account its calls are charged to, in words for a person. */
  payer(options: Pick<ModelOptions, "env" | "useApiKey">): string;
  /** Whether its calls cost nobody anything, given where this environment sends them; missing: they do. */
  isFree?(env: Environment): boolean;
  open(model: string, options: ModelOptions): Model;
}

const claude: Provider = {
  words: ["haiku", "sonnet", "opus", "claude-…"],
  accepts: (word) => (/^(haiku|sonnet|opus|claude-[\w.[\]-]+)$/.test(word) ? word : null),
  payer: ({ env, useApiKey }) => claudePayer(env, useApiKey),
  open: (model, options) => claudeCli({ ...options, model }),
};

const openAi: Provider = {
  words: ["openai:MODEL"],
  accepts: (word) => /^openai:(\S+)$/.exec(word)?.[1] ?? null,
  payer: ({ env }) => openAiPayer(env),
  isFree: isOpenAiFree,
  open: (model, options) => openAiCompatible({ ...options, model }),
};

/** Every provider; a new one is a file of its own and a line here. */
const PROVIDERS: readonly Provider[] = [claude, openAi];

/** Words that ask for no model at all. */
const WITHOUT_MODEL = ["mock", "extractive"] as const;

export type ModelChoice =
  | { kind: "none"; word: (typeof WITHOUT_MODEL)[number] }
  | { kind: "model"; word: string; model: string; provider: Provider };

/**
 * What `MERGE_MODEL`, `KNOWLEDGE_MODEL` or `--model` asks for; nothing is started. Another word: throws
 * a usage error that names the nearest ones.
 */
export function parseModel(word: string): ModelChoice {
  const without = WITHOUT_MODEL.find((name) => name === word);
  if (without !== undefined) return { kind: "none", word: without };
  for (const provider of PROVIDERS) {
    const model = provider.accepts(word);
    if (model !== null) return { kind: "model", word, model, provider };
  }
  const known = [...WITHOUT_MODEL, ...PROVIDERS.flatMap(({ words }) => words)];
  const [meant] = nearest(word, known);
  throw usageError(
    "unknown-model",
    `${JSON.stringify(word)} is no model${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    `one of: ${known.join(" · ")}`,
  );
}
