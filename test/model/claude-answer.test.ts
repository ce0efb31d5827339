import { expect, test } from "vitest";
import { isUnknownOption, readClaudeAnswer } from "../../src/model/claude-answer.ts";
import type { ModelOutcome } from "../../src/model/model.ts";
import { resultObject } from "../support/fake-claude.ts";

const asked = { model: "haiku", now: new Date("2026-09-10T12:00:00Z") };

function read(fields: object | string, code: number | null = 1, stderr = ""): ModelOutcome {
  const stdout = typeof fields === "string" ? fields : JSON.stringify(resultObject(fields));
  return readClaudeAnswer({ kind: "exited", code, stdout, stderr }, asked);
}

const failed = (result: string, more: object = {}) => ({
  is_error: true,
  terminal_reason: "api_error",
  result,
  ...more,
});

test.each<[string, object, Partial<ModelOutcome>]>([
  [
    "429 of an API key",
    failed("API Error: Request rejected (429) · slow down", { api_error_status: 429 }),
    { kind: "paused" },
  ],
  [
    "429 of a subscription",
    failed("You've hit your 5-hour limit · resets 10:05pm (UTC)", { api_error_status: 429 }),
    { kind: "paused", resumeAt: new Date("2026-09-10T22:05:00Z") },
  ],
  [
    "a weekly limit",
    failed("You've hit your weekly limit · resets Sep 14 at 8pm (Europe/Lisbon)", { api_error_status: 429 }),
    { kind: "paused", resumeAt: new Date("2026-09-14T19:00:00Z") },
  ],
  [
    "the old limit notice",
    failed("Claude AI usage limit reached|1762952400"),
    { kind: "paused", resumeAt: new Date(1_762_952_400_000) },
  ],
  [
    "401",
    failed("Failed to authenticate. API Error: 401 invalid bearer token", { api_error_status: 401 }),
    { kind: "paused" },
  ],
  [
    "a wrong key",
    failed("Invalid API key · Fix external API key", { api_error_status: 401 }),
    { kind: "paused" },
  ],
  ["no login", failed("Not logged in · Please run /login"), { kind: "paused" }],
  [
    "a login that the organisation forbids",
    failed("Your organization has disabled Claude subscription access", { api_error_status: 403 }),
    { kind: "paused" },
  ],
  ["no credit", failed("Credit balance is too low", { api_error_status: 400 }), { kind: "paused" }],
  [
    "an unknown model",
    failed("There's an issue with the selected model (claude-x)", { api_error_status: 404 }),
    { kind: "paused" },
  ],
  [
    "no network",
    failed("API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"),
    { kind: "paused" },
  ],
  [
    "too long",
    failed("Prompt is too long · …", { api_error_status: 400, terminal_reason: "prompt_too_long" }),
    { kind: "refused", tooLong: true },
  ],
  [
    "an answer past its limit",
    failed("API Error: Claude's response exceeded the 128000 output token maximum."),
    { kind: "refused", tooLong: true },
  ],
  [
    "500",
    failed("API Error: 500 Internal. This is a server-side issue", { api_error_status: 500 }),
    { kind: "refused" },
  ],
  ["529", failed("API Error: 529 Overloaded.", { api_error_status: 529 }), { kind: "refused" }],
  ["a refusal", failed("API Error: Haiku 5.5 can't help with this."), { kind: "refused" }],
  ["an error without a word", failed(""), { kind: "refused" }],
])("%s", (_, fields, outcome) => {
  expect(read(fields)).toMatchObject(outcome);
});

const fine = { is_error: false, terminal_reason: "completed", result: "  the answer " };

test("an answer is trimmed, and its tokens are all that were sent and got", () => {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 5,
    cache_read_input_tokens: 7,
    output_tokens: 3,
  };
  expect(read({ ...fine, usage, total_cost_usd: 0.5 }, 0)).toEqual({
    kind: "answered",
    text: "the answer",
    model: "claude-haiku-5-5",
    usage: { calls: 1, inputTokens: 22, outputTokens: 3, costUsd: 0.5 },
  });
});

test("a cost that Claude Code only guesses is not known", () => {
  expect(
    read({ ...fine, modelUsage: { "claude-new-9": { costBasis: "unknown" } } }, 0).usage.costUsd,
  ).toBeNull();
});

test.each<[string, Partial<Parameters<typeof resultObject>[0]>, number | null]>([
  ["exit code 1 beside a fine result", fine, 1],
  ["a death by signal beside a fine result", fine, null],
  ["exit code 0 beside an error", { ...fine, is_error: true }, 0],
  ["nothing", { ...fine, result: " \n" }, 0],
  ["no result field", { ...fine, result: null }, 0],
])("%s is no answer", (_, fields, code) => {
  expect(read(fields, code).kind).toBe("refused");
});

test.each([
  "API Error: something",
  "You've hit your limit · resets 1pm (Europe/Lisbon)",
  "Not logged in · Please run /login",
  "Invalid API key · Please run /login",
  "Credit balance is too low",
  "Prompt is too long",
  "Failed to authenticate",
  "/help isn't available in this environment.",
])("the notice %j with exit code 0 and no error is no answer", (result) => {
  expect(read({ ...fine, result }, 0).kind).not.toBe("answered");
});

test.each([
  ["a list of events that ends in the result", `[{"type":"system"},${JSON.stringify(resultObject(fine))}]`],
  ["lines of others before it", `Debugger attached.\n${JSON.stringify(resultObject(fine))}\n`],
])("%s is read", (_, stdout) => {
  expect(read(stdout, 0)).toMatchObject({ kind: "answered", text: "the answer" });
});

test.each([
  ["nothing at all", "", ""],
  ["plain words", "the answer\n", ""],
  ["a list of events without a result", '[{"type":"system"}]', ""],
  ["half a result", '{"type":"result","is_error":fal', ""],
])("%s on stdout is refused with what was said", (_, stdout, stderr) => {
  expect(read(stdout, 0, stderr)).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining("no result"),
  });
});

test("more than its stdin takes: a smaller prompt may do", () => {
  expect(read("", 1, "Error: piped stdin input exceeds 10MB")).toMatchObject({
    kind: "refused",
    tooLong: true,
  });
});

test.each([
  ["error: unknown option '--tools'", "", 1, true],
  ["error: unknown option '--tools'", "", 0, false],
  ["Error: something else", "", 1, false],
  ["unknown option", JSON.stringify(resultObject(failed("Not logged in"))), 1, false],
])("stderr %j: unknown option %s", (stderr, stdout, code, expected) => {
  expect(isUnknownOption({ kind: "exited", code, stdout, stderr })).toBe(expected);
});
