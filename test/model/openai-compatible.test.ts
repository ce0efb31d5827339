import { describe, expect, test } from "vitest";
import { openAiCompatible, openAiPayer } from "../../src/model/openai-compatible.ts";
import { type ChatReply, chatReply, fakeOpenAi } from "../support/fake-openai.ts";
import { LIMIT_MS } from "../support/model-behaviours.ts";
import { PROMPT, modelContract } from "../support/model-contract.ts";

const NEVER = new AbortController().signal;

describe("a server on this machine", () => {
  modelContract(async (behaviour, timeoutMs = LIMIT_MS) => {
    const server = fakeOpenAi(() => chatReply(behaviour));
    const env = { OPENAI_BASE_URL: server.url };
    return { model: openAiCompatible({ model: "qwen", env, timeoutMs }), stop: server.stop };
  });
});

async function askServer(script: (n: number) => ChatReply, calls = 1, env: Record<string, string> = {}) {
  const server = fakeOpenAi((_, n) => script(n));
  try {
    const model = openAiCompatible({
      model: "qwen",
      env: { OPENAI_BASE_URL: server.url, ...env },
      timeoutMs: LIMIT_MS,
    });
    const outcomes = [];
    for (let call = 0; call < calls; call += 1) outcomes.push(await model({ ...PROMPT, json: true }, NEVER));
    return { outcomes, requests: server.requests };
  } finally {
    server.stop();
  }
}

const fine: ChatReply = { kind: "text", text: '{"ops":[]}' };
const refuses = (message: string): ChatReply => ({ kind: "error", status: 400, message });

test("asks for JSON, a limit and no imagination", async () => {
  const { requests } = await askServer(() => fine, 1, { OPENAI_API_KEY: "sk-mine" });
  expect(requests[0]?.body).toMatchObject({
    model: "qwen",
    response_format: { type: "json_object" },
    max_tokens: PROMPT.maxOutputTokens,
    temperature: 0,
    messages: [
      { role: "system", content: PROMPT.system },
      { role: "user", content: PROMPT.user },
    ],
  });
  expect(requests[0]?.headers["authorization"]).toBe("Bearer sk-mine");
});

test.each([
  ["JSON mode", "response_format is not supported by this model", "response_format"],
  [
    "the old name of the limit",
    "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    "max_tokens",
  ],
  ["a temperature", "'temperature' does not support 0 with this model", "temperature"],
])("%s that the server refuses is left out, then and later", async (_, message, field) => {
  const { outcomes, requests } = await askServer((n) => (n === 0 ? refuses(message) : fine), 2);
  expect(outcomes).toMatchObject([{ kind: "answered" }, { kind: "answered" }]);
  expect(requests.map(({ body }) => field in body)).toEqual([true, false, false]);
});

test("another bad request is not asked again", async () => {
  const { outcomes, requests } = await askServer(() => refuses("messages: invalid"));
  expect(outcomes).toMatchObject([{ kind: "refused", reason: expect.stringContaining("messages: invalid") }]);
  expect(requests).toHaveLength(1);
});

test("an overloaded server is asked three times at most", async () => {
  const { outcomes, requests } = await askServer(() => chatReply({ kind: "overloaded" }));
  expect(outcomes).toMatchObject([{ kind: "refused" }]);
  expect(requests).toHaveLength(3);
});

test("a limit that lasts and missing credit are not asked again", async () => {
  const limit = await askServer(() =>
    chatReply({ kind: "limit", resetsAt: new Date(Date.now() + 3_600_000) }),
  );
  expect(limit.requests).toHaveLength(1);
  const credit = await askServer(() => chatReply({ kind: "credit" }));
  expect(credit.requests).toHaveLength(1);
});

test("a limit of seconds is waited for", async () => {
  const soon: ChatReply = {
    kind: "error",
    status: 429,
    message: "slow down",
    headers: { "retry-after": "1" },
  };
  const { outcomes, requests } = await askServer((n) => (n === 0 ? soon : fine));
  expect(outcomes).toMatchObject([{ kind: "answered" }]);
  expect(requests).toHaveLength(2);
});

test("tokens are estimated where the server does not count", async () => {
  const { outcomes } = await askServer(() => ({ ...fine, usage: false }));
  const [outcome] = outcomes;
  expect(outcome?.usage.inputTokens).toBeGreaterThan(5);
  expect(outcome?.usage).toMatchObject({ calls: 1, costUsd: null });
});

test("a model's thinking is no part of its answer", async () => {
  const { outcomes } = await askServer(() => ({
    kind: "text",
    text: '<think>{"ops": wrong}</think>\n{"ops":[]}',
  }));
  expect(outcomes).toMatchObject([{ kind: "answered", text: '{"ops":[]}' }]);
});

test("a server that cannot be reached pauses", async () => {
  const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  const outcome = await openAiCompatible({ model: "qwen", env, timeoutMs: LIMIT_MS })(PROMPT, NEVER);
  expect(outcome).toMatchObject({ kind: "paused", reason: expect.stringContaining("cannot be reached") });
});

test("without a key nothing is sent to another machine", async () => {
  const outcome = await openAiCompatible({ model: "gpt", env: {}, timeoutMs: LIMIT_MS })(PROMPT, NEVER);
  expect(outcome).toMatchObject({
    kind: "paused",
    usage: { calls: 0 },
    reason: expect.stringContaining("OPENAI_API_KEY"),
  });
});

test.each([
  [{ OPENAI_BASE_URL: "http://localhost:11434/v1" }, "nobody: http://localhost:11434/v1 is this machine"],
  [
    { OPENAI_BASE_URL: "https://openrouter.ai/api/v1", OPENAI_API_KEY: "k" },
    "the account of OPENAI_API_KEY at openrouter.ai",
  ],
  [{}, "the account of OPENAI_API_KEY at api.openai.com"],
])("%o: %s pays", (env, payer) => {
  expect(openAiPayer(env)).toBe(payer);
});
