import { expect, test } from "vitest";
import { claudeEnvironment, claudePayer } from "../../src/model/claude-environment.ts";
import { isLoopback } from "../../src/model/loopback.ts";

const PAYING = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_MODEL",
  "ANTHROPIC_BEDROCK_BASE_URL",
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
];

test.each(PAYING)("%s gets through only with useApiKey", (name) => {
  expect(claudeEnvironment({ [name]: "x" }, false).env).not.toHaveProperty(name);
  expect(claudeEnvironment({ [name]: "x" }, true).env).toHaveProperty(name, "x");
});

test.each([
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SIMPLE",
  "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_EFFORT_LEVEL",
  "CLAUDE_PROJECT_DIR",
  "CLAUDE_CODE_SOMETHING_NEW",
])("%s of a session around us never gets through", (name) => {
  expect(claudeEnvironment({ [name]: "x" }, false).env).not.toHaveProperty(name);
  expect(claudeEnvironment({ [name]: "x" }, true).env).not.toHaveProperty(name);
});

test.each([
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CONFIG_DIR",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "HOME",
  "PATH",
  "HTTPS_PROXY",
  "NODE_EXTRA_CA_CERTS",
])("%s stays", (name) => {
  expect(claudeEnvironment({ [name]: "x" }, false).env).toHaveProperty(name, "x");
});

test("our own guards win over what the environment says", () => {
  const { env } = claudeEnvironment({ CLAUDE_MEM_INTERNAL: "0", CLAUDE_CODE_MAX_RETRIES: "10" }, false);
  expect(env).toMatchObject({
    CLAUDE_MEM_INTERNAL: "1",
    PERSISTED_MEMORY_INTERNAL: "1",
    CLAUDE_CODE_MAX_RETRIES: "2",
  });
});

test.each([
  ["http://127.0.0.1:4000", true],
  ["http://localhost:4000/v1", true],
  ["http://[::1]:4000", true],
  ["https://gateway.example", false],
  ["http://127.0.0.1@gateway.example", false],
  ["http://127.0.0.1.gateway.example", false],
  ["http://localhost.gateway.example", false],
  ["not an address", false],
])("ANTHROPIC_BASE_URL=%s is loopback: %s", (url, loopback) => {
  expect(isLoopback(url)).toBe(loopback);
  const { env, warnings } = claudeEnvironment({ ANTHROPIC_BASE_URL: url }, false);
  expect("ANTHROPIC_BASE_URL" in env).toBe(loopback);
  expect(warnings).toHaveLength(loopback ? 0 : 1);
  expect(claudeEnvironment({ ANTHROPIC_BASE_URL: url }, true)).toMatchObject({
    env: { ANTHROPIC_BASE_URL: url },
    warnings: [],
  });
});

test.each<[Record<string, string>, boolean, string]>([
  [{}, false, "the Claude account that Claude Code is logged in to"],
  [
    { ANTHROPIC_API_KEY: "k" },
    false,
    "the Claude account that Claude Code is logged in to (ANTHROPIC_API_KEY not used without --use-api-key)",
  ],
  [{ CLAUDE_CODE_OAUTH_TOKEN: "t" }, false, "the Claude account of CLAUDE_CODE_OAUTH_TOKEN"],
  [
    { ANTHROPIC_API_KEY: "k", CLAUDE_CODE_OAUTH_TOKEN: "t" },
    true,
    "the account of ANTHROPIC_API_KEY, billed by tokens",
  ],
  [{ CLAUDE_CODE_USE_BEDROCK: "1" }, true, "the cloud account that CLAUDE_CODE_USE_BEDROCK selects"],
  [{}, true, "the Claude account that Claude Code is logged in to"],
])("%o, useApiKey %s: %s", (env, useApiKey, payer) => {
  expect(claudePayer(env, useApiKey)).toBe(payer);
});

test.each([
  ["a gateway on this machine and no login", { ANTHROPIC_BASE_URL: "http://127.0.0.1:4000" }, true],
  ["a login beside it", { ANTHROPIC_BASE_URL: "http://127.0.0.1:4000", CLAUDE_CODE_OAUTH_TOKEN: "x" }, false],
  ["a gateway elsewhere", { ANTHROPIC_BASE_URL: "https://gateway.example.com" }, false],
])("ANTHROPIC_AUTH_TOKEN with %s", (_, env, stays) => {
  const child = claudeEnvironment({ HOME: "/nowhere", ANTHROPIC_AUTH_TOKEN: "token", ...env }, false).env;
  expect("ANTHROPIC_AUTH_TOKEN" in child).toBe(stays);
});
