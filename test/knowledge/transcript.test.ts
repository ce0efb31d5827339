import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeTranscript } from "../../seed/transcripts.ts";
import { countTurns, readTail } from "../../src/knowledge/transcript.ts";
import { temporaryFolder } from "../support/cli.ts";

const WIDE = { turns: 1000, units: 10_000_000 };

test("of every shape a transcript has, exactly what was said is read, once and in order", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "t.jsonl");
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.nat(),
        exchanges: fc.integer({ min: 0, max: 12 }),
        noise: fc.integer({ min: 0, max: 8 }),
        end: fc.constantFrom("line break" as const, "none" as const, "torn" as const),
      }),
      (options) => {
        const { jsonl, said } = makeTranscript(options);
        writeFileSync(path, jsonl);
        expect(readTail(path, WIDE).map(({ role, text }) => ({ role, text }))).toEqual(said);
      },
    ),
    { numRuns: 40 },
  );
});

test("limits keep the last whole messages", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "t.jsonl");
  const { jsonl, said } = makeTranscript({ seed: 3, exchanges: 40, noise: 2 });
  writeFileSync(path, jsonl);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 2000, max: 20_000 }), (turns, units) => {
      const tail = readTail(path, { turns, units });
      const kept = tail.map(({ role, text }) => ({ role, text }));
      expect(kept).toEqual(said.slice(said.length - kept.length));
      expect(countTurns(tail)).toBeLessThanOrEqual(turns);
      const size = tail.reduce((sum, { text }) => sum + text.length, 0);
      expect(size).toBeLessThanOrEqual(units);
      const next = said[said.length - kept.length - 1];
      if (next !== undefined)
        expect(countTurns(tail) === turns || size + next.text.length > units).toBe(true);
    }),
    { numRuns: 50 },
  );
});

const line = (message: object) => `${JSON.stringify(message)}\n`;
const user = (content: unknown, more: object = {}) =>
  line({ type: "user", message: { role: "user", content }, ...more });

test.each([
  ["a missing file", null, []],
  ["an empty file", "", []],
  ["words around a reminder", user("Fix it.<system-reminder>Be nice.</system-reminder>"), ["Fix it."]],
  ["what a person marked private", user("Mail <private>a@b.c</private> it"), ["Mail  it"]],
  [
    "an editor's note beside words",
    user([
      { type: "text", text: "<ide_opened_file>x.ts</ide_opened_file>" },
      { type: "text", text: "Why?" },
    ]),
    ["Why?"],
  ],
  ["a command's output alone", user("<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>"), []],
  ["the same record twice", user("Hello", { uuid: "1" }).repeat(2), ["Hello"]],
  [
    "the same words at two times",
    user("go on", { timestamp: "1" }) + user("go on", { timestamp: "2" }),
    ["go on", "go on"],
  ],
  ["a message without a type", line({ role: "user", content: "bare" }), ["bare"]],
  ["CRLF", user("one").replace("\n", "\r\n"), ["one"]],
])("%s", (_, content, texts) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "t.jsonl");
  if (content !== null) writeFileSync(path, content);
  expect(readTail(path, WIDE).map(({ text }) => text)).toEqual(texts);
});

test("a folder in place of the file has no messages", () => {
  using folder = temporaryFolder();
  expect(readTail(folder.path, WIDE)).toEqual([]);
});

test("a pasted log does not push the rest out: its middle is left out, and it stays the same message", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "t.jsonl");
  const paste = `Look at this log: ${"x".repeat(50_000)} the end`;
  writeFileSync(path, user("First question") + user(paste, { timestamp: "2" }));
  const [first, pasted] = readTail(path, { turns: 30, units: 15_000 });
  expect(first?.text).toBe("First question");
  expect(pasted?.text).toMatch(/^Look at this log: x+\n\[… \d+ units left out …\]\nx+ the end$/);
  expect(pasted?.hash).toBe(readTail(path, WIDE).at(-1)?.hash);
});

test.each([
  [
    "long tool results",
    (n: number) =>
      line({
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", content: [{ type: "text", text: `${n}`.repeat(60_000) }] }],
        },
      }),
  ],
  [
    "progress",
    (n: number) =>
      line({ type: "progress", data: { message: { type: "assistant", text: `${n}`.repeat(900) } } }),
  ],
  ["short messages of a subagent", (n: number) => user(`${n}`.repeat(100), { isSidechain: true })],
])("50 MB of %s behind the last words are read within a hook's time", (_, make) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "t.jsonl");
  const one = Array.from({ length: 10 }, (__, n) => make(n)).join("");
  writeFileSync(path, user("Far away") + one.repeat(Math.ceil(50_000_000 / one.length)));
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage(); // of its own work, whatever else the machine does
    readTail(path, { turns: 30, units: 15_000 });
    const { user: own, system } = process.cpuUsage(before);
    return (own + system) / 1000;
  });
  expect(Math.min(...times)).toBeLessThan(300);
});
