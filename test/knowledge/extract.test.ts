import fc from "fast-check";
import { expect, test } from "vitest";
import { makeTranscript } from "../../seed/transcripts.ts";
import { extractNotes } from "../../src/knowledge/extract.ts";
import { NOTHING, parseNotes, renderNotes } from "../../src/knowledge/notes.ts";
import type { Message } from "../../src/knowledge/transcript.ts";

function talk(...texts: string[]): Message[] {
  return texts.map((text, n) => ({ role: n % 2 === 0 ? "user" : "assistant", text, hash: String(n) }));
}

test("sentences go to the section that their words belong to, word for word", () => {
  const notes = extractNotes(
    talk(
      "Why does the login test fail on CI?",
      "Let me look.\n\n```ts\nawait sleep(2000); // we decided this\n```\n\nThe root cause is a race with the mail stub. We decided to await `mailReady()` instead of sleeping. TODO: drop the retry in ci.yml.",
      "ok do that please, thanks",
      "Done. It turned out that `mailReady()` also fails when port 4025 is taken.",
    ),
  );
  expect(notes).toMatchObject({
    context: "Why does the login test fail on CI?",
    decisions: ["We decided to await `mailReady()` instead of sleeping."],
    lessons: [
      "The root cause is a race with the mail stub.",
      "It turned out that `mailReady()` also fails when port 4025 is taken.",
    ],
    actions: ["TODO: drop the retry in ci.yml."],
  });
});

test.each([
  ["nothing", talk()],
  ["greetings", talk("hi", "Hello! How can I help?")],
  ["a bare yes", talk("yes", "Done.", "thanks", "You're welcome.")],
])("%s: nothing to keep", (_, messages) => {
  expect(extractNotes(messages)).toBe(NOTHING);
});

test("a language that the rules don't know still gives its exchanges", () => {
  const notes = extractNotes(
    talk(
      "请解释为什么缓存在部署之后没有失效，我们昨天改了键的格式",
      "缓存键包含构建编号，但是 CDN 忽略查询字符串。我们把编号移到了路径里，这样每次部署都会产生新的键，旧的键自然过期。",
    ),
  );
  expect(notes).toMatchObject({ exchanges: [expect.stringContaining("CDN 忽略查询字符串")] });
});

test("whatever was said, the entry can be read back and its sentences stand in the conversation", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 10 }), (seed, exchanges) => {
      const { said } = makeTranscript({ seed, exchanges, noise: 0 });
      const notes = extractNotes(said.map((message, n) => ({ ...message, hash: String(n) })));
      if (notes === NOTHING) throw new Error("the topics are all worth keeping");
      expect(parseNotes(renderNotes(notes))).toEqual(notes);
      const all = said.map(({ text }) => text).join("\n");
      for (const sentence of [...notes.decisions, ...notes.lessons, ...notes.actions]) {
        expect(all).toContain(sentence.replace(/…$/, ""));
      }
    }),
    { numRuns: 60 },
  );
});
