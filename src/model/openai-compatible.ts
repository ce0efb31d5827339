import type OpenAI from "openai";
import { z } from "zod";
import { usageError } from "../errors.ts";
import type { Environment } from "../paths.ts";
import { estimateTokens } from "../text/tokens.ts";
import { isLoopback } from "./loopback.ts";
import { type Model, type ModelOutcome, NO_USAGE, type Prompt, type Usage } from "./model.ts";

export interface OpenAiOptions {
  /** As the server calls it. */
  model: string;
  /** `OPENAI_BASE_URL`, `OPENAI_API_KEY`; also `OPENAI_ORG_ID` and `OPENAI_PROJECT_ID`. */
  env: Environment;
  /** For the whole call, retries included. */
  timeoutMs: number;
}

const OPENAI = "https://api.openai.com/v1";
/** Thinking counts as output where the newer name of the limit is wanted. */
const THINKING_TOKENS = 16_000;
/** A server that is back within this time is waited for. */
const PATIENCE_S = 30;

/** What a server may not have; found out by its refusals and remembered. */
interface Dialect {
  jsonMode: boolean;
  temperature: boolean;
  limit: "max_tokens" | "max_completion_tokens";
}

const tokens = z.number().int().nonnegative();
const Answer = z.object({
  model: z.string().optional().catch(undefined),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish().catch(null),
});
type Answer = z.output<typeof Answer>;

/** Any server that speaks OpenAI's chat completions: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, Gemini. */
export function openAiCompatible(options: OpenAiOptions): Model {
  const dialect: Dialect = { jsonMode: true, temperature: true, limit: "max_tokens" };
  return async (prompt, signal) => {
    signal.throwIfAborted();
    if (!options.env["OPENAI_API_KEY"] && !isLoopback(baseUrl(options.env))) {
      return {
        kind: "paused",
        reason: `OPENAI_API_KEY is not set, ${shown(options.env)} needs one`,
        usage: NO_USAGE,
      };
    }
    const sdk = await import("openai");
    const client = clientOf(sdk.default, options);
    const over = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
    for (;;) {
      try {
        const answer = await client.chat.completions.create(bodyOf(options.model, prompt, dialect), {
          signal: over,
        });
        return read(answer, prompt, options.model);
      } catch (error) {
        signal.throwIfAborted();
        if (over.aborted || error instanceof sdk.APIConnectionTimeoutError)
          return timedOut(prompt, options.timeoutMs);
        if (!(error instanceof sdk.APIError)) throw error;
        if (!adapt(dialect, error.status, error.message)) return failure(error, options.env);
      }
    }
  };
}

/** Who pays for calls, in words for a person. */
export function openAiPayer(env: Environment): string {
  return isOpenAiFree(env)
    ? `nobody: ${shown(env)} is this machine`
    : `the account of OPENAI_API_KEY at ${new URL(baseUrl(env)).host}`;
}

/** Whether calls go to this machine, which asks for no money. */
export function isOpenAiFree(env: Environment): boolean {
  return isLoopback(baseUrl(env));
}

function clientOf(Client: typeof OpenAI, { env, timeoutMs }: OpenAiOptions): OpenAI {
  return new Client({
    baseURL: baseUrl(env),
    apiKey: env["OPENAI_API_KEY"] || "none-needed",
    organization: env["OPENAI_ORG_ID"] ?? null,
    project: env["OPENAI_PROJECT_ID"] ?? null,
    adminAPIKey: null,
    webhookSecret: null,
    timeout: timeoutMs,
    maxRetries: 2,
    logLevel: "off",
    fetch: fetchOnceWhenVain,
  });
}

function baseUrl(env: Environment): string {
  const url = env["OPENAI_BASE_URL"] || OPENAI;
  if (/^https?:\/\/[^/]/i.test(url) && URL.canParse(url)) return url;
  throw usageError(
    "bad-setting",
    `OPENAI_BASE_URL is ${JSON.stringify(url)}, which is no address of a server`,
    "http://localhost:11434/v1, for instance",
  );
}

/** Without what somebody may have written before the host. */
function shown(env: Environment): string {
  const { origin, pathname } = new URL(baseUrl(env));
  return `${origin}${pathname}`;
}

/** The client asks again after any 429; where the limit lasts or the credit is gone that is in vain. */
async function fetchOnceWhenVain(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status !== 429) return response;
  const body = await response.text();
  const headers = new Headers(response.headers);
  if (secondsToWait(headers) > PATIENCE_S || isCredit(body)) headers.set("x-should-retry", "false");
  return new Response(body, { status: 429, headers });
}

function bodyOf(
  model: string,
  prompt: Prompt,
  dialect: Dialect,
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const limit = prompt.maxOutputTokens + (dialect.limit === "max_tokens" ? 0 : THINKING_TOKENS);
  return {
    model,
    messages: [
      { role: "system", content: prompt.system },
      { role: "user", content: prompt.user },
    ],
    [dialect.limit]: limit,
    ...(dialect.temperature ? { temperature: 0 } : {}),
    ...(prompt.json && dialect.jsonMode ? { response_format: { type: "json_object" } } : {}),
  };
}

/** Gives up what the server says it does not have; whether there was such a thing. */
function adapt(dialect: Dialect, status: number | undefined, message: string): boolean {
  if (status !== 400 && status !== 422) return false;
  if (dialect.jsonMode && /response_format|json_object|json mode/i.test(message)) {
    dialect.jsonMode = false;
    return true;
  }
  if (dialect.limit === "max_tokens" && /max_completion_tokens/.test(message)) {
    dialect.limit = "max_completion_tokens";
    return true;
  }
  if (dialect.temperature && /temperature/.test(message)) {
    dialect.temperature = false;
    return true;
  }
  return false;
}

function read(answer: unknown, prompt: Prompt, model: string): ModelOutcome {
  const parsed = Answer.safeParse(answer);
  if (!parsed.success)
    return { kind: "refused", reason: "the server's answer has another shape", usage: sent(prompt) };
  const [choice] = parsed.data.choices;
  // some servers leave a model's thinking in its answer
  const text = (choice?.message.content ?? "").replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
  const usage = usageOf(parsed.data, prompt, text);
  if (choice?.finish_reason === "length") {
    return { kind: "refused", reason: "the answer was cut at its limit", tooLong: true, usage };
  }
  if (choice?.message.refusal) return { kind: "refused", reason: choice.message.refusal, usage };
  if (choice?.finish_reason === "content_filter")
    return { kind: "refused", reason: "the provider's filter stopped it", usage };
  if (text === "") return { kind: "refused", reason: "the model answered nothing", usage };
  return { kind: "answered", text, usage, model: parsed.data.model ?? model };
}

interface ApiFailure {
  status: number | undefined;
  code: string | null | undefined;
  message: string;
  headers: Headers | undefined;
}

function failure(error: ApiFailure, env: Environment): ModelOutcome {
  const reason = error.message.slice(0, 300);
  const usage = { ...NO_USAGE, calls: 1 };
  if (error.status === undefined) {
    return { kind: "paused", reason: `${shown(env)} cannot be reached: ${reason}`, usage };
  }
  if (
    error.code === "context_length_exceeded" ||
    /context (length|window|size)|maximum context|too long|too many tokens/i.test(reason)
  ) {
    return { kind: "refused", reason, tooLong: true, usage };
  }
  if ([401, 402, 403, 404].includes(error.status) || isCredit(`${error.code} ${reason}`))
    return { kind: "paused", reason, usage };
  if (error.status !== 429) return { kind: "refused", reason, usage };
  const wait = secondsToWait(error.headers);
  return {
    kind: "paused",
    reason,
    ...(wait > 0 ? { resumeAt: new Date(Date.now() + wait * 1000) } : {}),
    usage,
  };
}

function isCredit(text: string): boolean {
  return /insufficient_quota|exceeded your current quota|insufficient (credit|balance|funds)/i.test(text);
}

/** 0 where the server does not say. */
function secondsToWait(headers: Headers | undefined): number {
  const text = headers?.get("retry-after") ?? "";
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

function timedOut(prompt: Prompt, timeoutMs: number): ModelOutcome {
  return { kind: "refused", reason: `no answer within ${timeoutMs / 1000} s`, usage: sent(prompt) };
}

function usageOf(answer: Answer, prompt: Prompt, text: string): Usage {
  if (!answer.usage) return { ...sent(prompt), outputTokens: estimateTokens(text) };
  const { prompt_tokens, completion_tokens } = answer.usage;
  return { calls: 1, inputTokens: prompt_tokens, outputTokens: completion_tokens, costUsd: null };
}

/** What a call took where nobody says: estimated, and of unknown cost. */
function sent(prompt: Prompt): Usage {
  return {
    calls: 1,
    inputTokens: estimateTokens(prompt.system + prompt.user),
    outputTokens: 0,
    costUsd: null,
  };
}
