import { join } from "node:path";
import { expect, test } from "vitest";
import { makeKnowledgeBase, writeKnowledgeBase } from "../../seed/knowledge-base.ts";
import { baseAt } from "../../src/knowledge/base.ts";
import { type LoadedBase, loadBase } from "../../src/knowledge/loaded.ts";
import { QUERY_UNITS, fileAnswer, queryBase, searchBase } from "../../src/knowledge/query.ts";
import { temporaryFolder } from "../support/cli.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { conceptPage, snapshot, writeBase } from "../support/small-base.ts";

const LOG = "2026-04-01.md";
const signal = new AbortController().signal;

function small(): { loaded: LoadedBase; again: () => LoadedBase } & Disposable {
  const folder = temporaryFolder();
  const base = writeBase(join(folder.path, "base"), {
    "knowledge/concepts/retry-jitter.md": conceptPage("Retry jitter", {
      log: LOG,
      links: ["concepts/queue-locks"],
    }),
    "knowledge/concepts/queue-locks.md": conceptPage("Queue locks", { log: LOG }),
    "knowledge/concepts/cache.md": `${conceptPage("缓存键", { log: LOG })}\n缓存键包含构建编号，但是 CDN 忽略查询字符串。`,
    "knowledge/index.md":
      "# Knowledge Base Index\n\n| Article | Summary | Compiled From | Updated |\n|---|---|---|---|\n| [[concepts/retry-jitter]] | Retries wait a random time | x | 2026-04-01 |\n",
  });
  return {
    loaded: loadBase(base),
    again: () => loadBase(base),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const pick = (...articles: string[]) => JSON.stringify({ articles });
const answer = (text: string, more: object = {}) =>
  JSON.stringify({ answer: text, followUps: ["And  locks?"], ...more });

test("offline: the nearest articles, best first, with the words around", () => {
  using base = small();
  const [first] = searchBase(base.loaded, "why do retries have a jitter?");
  expect(first).toMatchObject({
    path: "concepts/retry-jitter",
    title: "Retry jitter",
    summary: "Retries wait a random time",
  });
  expect(first?.snippet).toContain("Retry jitter");
  expect(searchBase(base.loaded, "查询字符串")[0]?.path).toBe("concepts/cache");
  expect(searchBase(base.loaded, "kangaroo")).toEqual([]);
  expect(searchBase(base.loaded, '"; DROP TABLE page; --')).toEqual([]);
});

test("with a model: it picks from the index, reads only those in full, and cites them", async () => {
  using base = small();
  const { model, prompts } = scriptedModel(
    pick("concepts/retry-jitter", "[[concepts/nowhere]]"),
    answer("Because of [[concepts/retry-jitter]]."),
  );
  expect(await queryBase(base.loaded, "Why jitter?", model, signal)).toEqual({
    kind: "answered",
    value: {
      answer: "Because of [[concepts/retry-jitter]].",
      missing: "",
      consulted: ["concepts/retry-jitter"],
      followUps: ["And locks?"],
    },
  });
  expect(prompts[0]?.user).toContain("concepts/retry-jitter | Retries wait a random time");
  expect(prompts[1]?.user).toContain("=== concepts/retry-jitter\n---");
  expect(prompts[1]?.user).not.toContain("=== concepts/queue-locks");
});

test.each([
  ["a citation of a page that was not read", answer("See [[concepts/queue-locks]]."), true],
  ["a citation of nothing", answer("See [[concepts/invented]]."), true],
  ["no citation", answer("Because."), true],
  ["nothing", answer(""), true],
  ["prose", "API Error: 529", false],
])("%s is no answer", async (_, text, gate) => {
  using base = small();
  const { model, prompts } = scriptedModel(pick("concepts/retry-jitter"), text);
  expect(await queryBase(base.loaded, "Why?", model, signal)).toMatchObject({ kind: "refused", gate });
  expect(prompts).toHaveLength(3);
});

test("what the base does not say is said so", async () => {
  using base = small();
  const none = scriptedModel(pick());
  expect(await queryBase(base.loaded, "Kangaroos?", none.model, signal)).toMatchObject({
    value: { answer: "", missing: expect.stringMatching(/.+/) },
  });
  expect(none.prompts).toHaveLength(1);
  const missing = scriptedModel(pick("concepts/queue-locks"), answer("", { missing: "who set it" }));
  expect(await queryBase(base.loaded, "Who?", missing.model, signal)).toMatchObject({
    value: { answer: "", missing: "who set it" },
  });
});

test("an index too long for one call is cut down to the rows that share words with the question", async () => {
  using folder = temporaryFolder();
  writeKnowledgeBase(folder.path, makeKnowledgeBase({ seed: 1, articles: 900 }));
  const { model, prompts } = scriptedModel(pick());
  await queryBase(loadBase(baseAt(folder.path)), "feature flag 126", model, signal);
  expect(prompts[0]?.user.length).toBeLessThan(QUERY_UNITS.index + 2000);
  expect(prompts[0]?.user.length).toBeGreaterThan(QUERY_UNITS.index / 2);
  expect(prompts[0]?.user).toContain("concepts/feature-flag-find-126");
});

test("a kept answer is an article with index row and log entry; asked again it is renewed, edited it is left alone", () => {
  using base = small();
  const question = "Why  jitter?";
  const value = {
    answer: "Because of [[concepts/retry-jitter]].",
    missing: "",
    consulted: ["concepts/retry-jitter"],
    followUps: ["And locks?"],
  };
  const at = new Date(2026, 3, 2);
  expect(fileAnswer(base.loaded, question, value, at)).toEqual({
    path: "qa/why-jitter",
    outcome: { kind: "committed" },
  });
  const files = snapshot(base.loaded.base.root);
  expect(files["knowledge/qa/why-jitter.md"]).toBe(`---
title: "Why jitter?"
question: "Why jitter?"
consulted:
  - "concepts/retry-jitter"
filed: 2026-04-02
---

# Q: Why jitter?

## Answer

Because of [[concepts/retry-jitter]].

## Sources Consulted

- [[concepts/retry-jitter]]

## Follow-Up Questions

- And locks?
`);
  expect(files["knowledge/index.md"]).toContain(
    "| [[qa/why-jitter]] | Because of [[concepts/retry-jitter]]. | concepts/retry-jitter | 2026-04-02 |",
  );
  expect(files["knowledge/log.md"]).toContain(
    "query | Why jitter?\n- consulted: [[concepts/retry-jitter]]\n- filed: [[qa/why-jitter]]\n",
  );
  expect(
    fileAnswer(base.again(), "why jitter?", { ...value, answer: "Newer [[concepts/retry-jitter]]." }, at)
      .path,
  ).toBe("qa/why-jitter");
  writeBase(base.loaded.base.root, { "knowledge/qa/why-jitter.md": "mine" });
  expect(fileAnswer(base.again(), question, value, at).path).toBe("qa/why-jitter-2");
  expect(snapshot(base.loaded.base.root)["knowledge/qa/why-jitter.md"]).toBe("mine");
});
