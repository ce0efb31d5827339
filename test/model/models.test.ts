import { expect, test } from "vitest";
import { parseModel } from "../../src/model/models.ts";
import { listCost } from "../../src/model/prices.ts";

test.each([
  ["haiku", "haiku"],
  ["sonnet", "sonnet"],
  ["opus", "opus"],
  ["claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"],
  ["claude-sonnet-5[1m]", "claude-sonnet-5[1m]"],
  ["openai:gpt-5-mini", "gpt-5-mini"],
  ["openai:qwen3:8b", "qwen3:8b"],
  ["openai:google/gemini-2.5-flash", "google/gemini-2.5-flash"],
])("%s is the model %s", (word, model) => {
  expect(parseModel(word)).toMatchObject({ kind: "model", word, model });
});

test.each(["mock", "extractive"])("%s needs no model", (word) => {
  expect(parseModel(word)).toEqual({ kind: "none", word });
});

test.each([
  ["hiaku", /did you mean haiku\?/],
  ["Sonnet", /did you mean sonnet\?/],
  ["extractiv", /did you mean extractive\?/],
  ["gpt-5", /is no model$/],
  ["openai:", /is no model/],
  ["claude-sonnet --settings x", /is no model/],
  ["--help", /is no model/],
  ["", /is no model/],
])("%j is a usage error", (word, message) => {
  expect(() => parseModel(word)).toThrow(
    expect.objectContaining({ code: "unknown-model", exit: 2, message: expect.stringMatching(message) }),
  );
});

test.each([
  ["haiku", 0.1 + 0.05],
  ["claude-haiku-4-5-20251001", 1 + 0.5],
  ["sonnet", 2 + 1],
  ["claude-nobody-knows", null],
  ["openai:gpt-5", null],
])("a million tokens in and a tenth out with %s cost %s", (model, cost) => {
  const found = listCost(model, { inputTokens: 1_000_000, outputTokens: 100_000 });
  if (cost === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(cost, 9);
});
