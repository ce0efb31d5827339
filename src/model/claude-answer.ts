import { z } from "zod";
import type { ChildEnd } from "./child.ts";
import type { ModelOutcome, Usage } from "./model.ts";
import { parseResumeTime } from "./resume-time.ts";

type Exited = Extract<ChildEnd, { kind: "exited" }>;

const tokens = z.number().nonnegative().catch(0);
const Result = z.object({
  type: z.literal("result"),
  is_error: z.boolean(),
  result: z.string().catch(""),
  api_error_status: z.number().nullish().catch(null),
  terminal_reason: z.string().nullish().catch(null),
  total_cost_usd: z.number().nullish().catch(null),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_creation_input_tokens: tokens,
      cache_read_input_tokens: tokens,
    })
    .optional()
    .catch(undefined),
  modelUsage: z.record(z.string(), z.object({ costBasis: z.string().optional().catch(undefined) })).catch({}),
});
type Result = z.output<typeof Result>;

/** Words that come in place of an answer; old versions print them with exit code 0 and `is_error: false`. */
const NOTICE =
  /^(API Error|You've hit your|You've reached your|Claude AI usage limit|Not logged in|Invalid API key|Credit balance|Prompt is too long|Failed to authenticate|OAuth|Your organization|There's an issue with the selected model|\/[\w:-]+ isn't available|Unknown (slash )?command)/;

/**
 * What `claude -p --output-format json` said. Answered only when everything agrees: exit code 0, a result
 * object, no error in it, and words that are none of Claude Code's own notices.
 */
export function readClaudeAnswer(end: Exited, asked: { model: string; now: Date }): ModelOutcome {
  const result = parseResult(end.stdout);
  if (result === null) return unreadable(end);
  const text = result.result.trim();
  const usage = usageOf(result);
  if (end.code !== 0 || result.is_error || NOTICE.test(text)) return failure(result, text, usage, asked.now);
  if (text === "") return { kind: "refused", reason: "the model answered nothing", usage };
  return { kind: "answered", text, usage, model: Object.keys(result.modelUsage)[0] ?? asked.model };
}

/** An option that this version does not know: it then prints no JSON and asks no model. */
export function isUnknownOption(end: Exited): boolean {
  return end.code !== 0 && /unknown option/i.test(end.stderr) && parseResult(end.stdout) === null;
}

function failure(result: Result, text: string, usage: Usage, now: Date): ModelOutcome {
  const reason =
    firstLine(text) || `Claude Code failed without a word (${result.terminal_reason ?? "no reason given"})`;
  const status = result.api_error_status ?? null;
  if (result.terminal_reason === "prompt_too_long" || /prompt is too long|output token maximum/i.test(text)) {
    return { kind: "refused", reason, tooLong: true, usage };
  }
  if (status !== null && status >= 500) return { kind: "refused", reason, usage };
  if (status === 429 || /hit your .*limit|reached your .*limit|usage limit reached/i.test(text)) {
    const resumeAt = parseResumeTime(text, now);
    return { kind: "paused", reason, ...(resumeAt === undefined ? {} : { resumeAt }), usage };
  }
  return { kind: stopsEverything(status, text) ? "paused" : "refused", reason, usage };
}

/** Login, credit, model or network: no other prompt would fare better. */
function stopsEverything(status: number | null, text: string): boolean {
  if (status === 401 || status === 402 || status === 403 || status === 404) return true;
  return /not logged in|failed to authenticate|invalid api key|oauth|credit balance|your organization|selected model|connection (refused|error)|unable to connect|ECONN|ENOTFOUND/i.test(
    text,
  );
}

function unreadable(end: Exited): ModelOutcome {
  const said = firstLine(end.stderr) || firstLine(end.stdout) || "nothing";
  return {
    kind: "refused",
    reason: `Claude Code ended with code ${end.code ?? "unknown"} and no result; it said: ${said}`,
    ...(/exceeds \d+ ?MB/i.test(end.stderr) ? { tooLong: true } : {}),
    usage: { calls: 1, inputTokens: 0, outputTokens: 0, costUsd: null },
  };
}

/** One object, or the last of a list of events, with or without lines of other programs before it. */
function parseResult(stdout: string): Result | null {
  for (const text of [stdout, stdout.trimEnd().split("\n").at(-1) ?? ""]) {
    try {
      const value: unknown = JSON.parse(text);
      const result = Result.safeParse(Array.isArray(value) ? value.at(-1) : value);
      if (result.success) return result.data;
    } catch {
      // not JSON as a whole: perhaps its last line is
    }
  }
  return null;
}

function usageOf({ usage, total_cost_usd, modelUsage }: Result): Usage {
  const priced = Object.values(modelUsage).every(({ costBasis }) => costBasis !== "unknown");
  return {
    calls: 1,
    inputTokens:
      (usage?.input_tokens ?? 0) +
      (usage?.cache_creation_input_tokens ?? 0) +
      (usage?.cache_read_input_tokens ?? 0),
    outputTokens: usage?.output_tokens ?? 0,
    costUsd: priced ? (total_cost_usd ?? null) : null,
  };
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, 300) ?? "";
}
