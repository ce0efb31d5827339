import { describe, expect, test } from "vitest";
import { type GateCode, gate, unaccounted } from "../../src/digest/gate.ts";
import type { Operation } from "../../src/merge/merge.ts";
import { itemOf, noteOf, requestOf } from "../support/merge-request.ts";

const items = [
  itemOf(10, "2026-03-01", "The queue listens on port 6379 and probably keeps nothing"),
  itemOf(11, "2026-03-02", "Pinned note", { pinned: true }),
  itemOf(12, "2026-03-09", "The cache is newer than the batch"),
  itemOf(13, "2026-03-02", "A person's own", { origin: "manual" }),
];
const notes = [
  noteOf(21, "2026-03-05", "Upload worker probably leaks", {
    narrative:
      "The upload worker probably leaks memory in src/upload.ts. It took 1,024 MB yesterday. The mailer does not retry.",
    facts: ["`MAX_TRIES` is 3", "Switched to v2.1", "ポートは3128です"],
  }),
  noteOf(22, "2026-03-06", "The mailer retries", {
    narrative: "The upload worker leaks memory, the profiler shows it.",
  }),
];
const request = requestOf(items, notes);
const rest: Operation = { kind: "skip", from: [21, 22], reason: "seen" };

function codes(...operations: Operation[]): GateCode[] {
  return gate(request, [...operations, rest]).map(({ code }) => code);
}

describe("what passes", () => {
  test.each<[string, Operation]>([
    ["a sentence as it stands", { kind: "add", text: "The mailer does not retry.", from: [21] }],
    [
      "a title with a sentence",
      { kind: "add", text: "Upload worker probably leaks — The mailer does not retry.", from: [21] },
    ],
    [
      "other words with the same tokens and doubts",
      { kind: "add", text: "Upload worker in src/upload.ts might leak, MAX_TRIES 3", from: [21] },
    ],
    ["another spelling of a number", { kind: "add", text: "It took 1024MB once", from: [21] }],
    [
      "a date worked out from the row's own",
      { kind: "add", text: "On 2026-03-04 it took 1,024 MB", from: [21] },
    ],
    [
      "a doubt that another source has not",
      { kind: "add", text: "Upload worker leaks memory, profiler shows it", from: [21, 22] },
    ],
    [
      "a new wording of an item",
      { kind: "rewrite", items: [10], text: "Queue is on port 6379, probably keeps nothing", from: [] },
    ],
    ["a confirmation of a pinned item", { kind: "confirm", item: 11, from: [21] }],
    ["a drop with a reason", { kind: "drop", item: 10, reason: "the queue is gone", from: [22] }],
    ["statements passed over", { kind: "pass", from: [21], statements: [1] }],
    [
      "a number between signs of a script without spaces",
      { kind: "add", text: "ポートは 3128 です", from: [21] },
    ],
    ["nothing but skips", rest],
  ])("%s", (_, operation) => {
    expect(codes(operation)).toEqual([]);
  });
});

describe("what does not", () => {
  test.each<[GateCode, string, Operation]>([
    ["unknown-item", "an item of another digest", { kind: "confirm", item: 99, from: [21] }],
    ["unknown-item", "the rewrite of such", { kind: "rewrite", items: [10, 99], text: "t", from: [] }],
    ["unknown-observation", "a row of another project", { kind: "add", text: "t", from: [21, 99] }],
    ["unknown-observation", "a skip of such", { kind: "skip", from: [99], reason: "r" }],
    ["no-source", "an added text from nowhere", { kind: "add", text: "t", from: [] }],
    ["empty-text", "an empty text", { kind: "add", text: " \n", from: [21] }],
    ["too-long", "an essay", { kind: "add", text: "word ".repeat(130).trim(), from: [21] }],
    [
      "invented-token",
      "a path that no source has",
      { kind: "add", text: "It leaks in src/uploads.ts", from: [21] },
    ],
    ["invented-token", "a number", { kind: "add", text: "MAX_TRIES is 4", from: [21] }],
    ["invented-token", "a part of a number", { kind: "add", text: "It took 24 MB", from: [21] }],
    ["invented-token", "an identifier in another case", { kind: "add", text: "maxTries is 3", from: [21] }],
    ["invented-token", "a version", { kind: "add", text: "Switched to v2.1.1", from: [21] }],
    [
      "invented-token",
      "a token of a row that is not cited",
      { kind: "add", text: "MAX_TRIES is 3", from: [22] },
    ],
    [
      "invented-token",
      "a date that nothing tells",
      { kind: "add", text: "On 2025-01-09 the mailer retried", from: [22] },
    ],
    [
      "lost-hedge",
      "a guess told as a fact",
      { kind: "add", text: "Upload worker leaks memory in src/upload.ts", from: [21] },
    ],
    [
      "lost-hedge",
      "half of a sentence, without its doubt",
      { kind: "add", text: "leaks memory in src/upload.ts.", from: [21] },
    ],
    [
      "lost-hedge",
      "an item's doubt",
      { kind: "rewrite", items: [10], text: "Queue listens on port 6379 and keeps nothing", from: [] },
    ],
    ["lost-negation", "the opposite", { kind: "add", text: "The mailer does retry", from: [21] }],
    [
      "late-supersede",
      "an older row against a newer item",
      { kind: "drop", item: 12, reason: "was said before", from: [21] },
    ],
    [
      "late-supersede",
      "the same as a rewrite",
      { kind: "rewrite", items: [12], text: "The cache", from: [21], reason: "changed" },
    ],
    ["pinned-touched", "the drop of a pinned item", { kind: "drop", item: 11, reason: "old" }],
    [
      "pinned-touched",
      "the rewrite of a person's own",
      { kind: "rewrite", items: [13], text: "A person's", from: [] },
    ],
  ])("%s: %s", (code, _, operation) => {
    expect(codes(operation)).toContain(code);
  });

  test("duplicate-op: an item taken out twice", () => {
    const drop: Operation = { kind: "drop", item: 10, reason: "gone" };
    expect(codes(drop, drop)).toContain("duplicate-op");
    expect(
      codes(drop, {
        kind: "rewrite",
        items: [10],
        text: "The queue listens on port 6379, probably",
        from: [],
      }),
    ).toContain("duplicate-op");
  });

  test("unaccounted: a row that no operation names", () => {
    const operations: Operation[] = [{ kind: "skip", from: [22], reason: "r" }];
    expect(unaccounted(request, operations)).toEqual([21]);
    expect(gate(request, operations).map(({ code }) => code)).toEqual(["unaccounted"]);
  });

  test("findings say where and what", () => {
    const [finding] = gate(request, [rest, { kind: "add", text: "In src/x.ts", from: [21] }]);
    expect(finding).toEqual({
      code: "invented-token",
      operation: 1,
      message: "operation 2 (add): `src/x.ts` stands in none of its sources",
    });
  });
});

describe("shrinking", () => {
  const many = Array.from({ length: 10 }, (_, at) =>
    itemOf(at + 1, "2026-03-01", `The part number ${at + 1} of the plant needs oil every week`),
  );
  const digest = requestOf(many, []);
  const drops = (count: number, reason: (at: number) => string): Operation[] =>
    many.slice(0, count).map(({ id }, at) => ({ kind: "drop", item: id, reason: reason(at) }));
  const shrinks = (operations: Operation[]) => gate(digest, operations).some(({ code }) => code === "shrink");

  test.each<[string, Operation[], boolean]>([
    ["a few drops without a word", drops(2, () => ""), false],
    ["many without a word", drops(5, () => " - "), true],
    ["many with a reason each", drops(5, (at) => `part ${at} was taken out`), false],
    ["many with one reason for all", drops(5, () => "cleanup"), true],
    [
      "everything in one line",
      [{ kind: "rewrite", items: many.map(({ id }) => id), text: "The plant needs oil", from: [] }],
      true,
    ],
    [
      "two that are one",
      [
        {
          kind: "rewrite",
          items: [1, 2],
          text: "The parts number 1 and 2 of the plant need oil every week",
          from: [],
        },
      ],
      false,
    ],
  ])("%s: %s", (_, operations, expected) => {
    expect(shrinks(operations)).toBe(expected);
  });
});
