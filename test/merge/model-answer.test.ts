import { expect, test } from "vitest";
import { readOperations } from "../../src/merge/answer.ts";
import type { Operation } from "../../src/merge/merge.ts";

const ADD = '{"add":"Port is 4100.","from":[31]}';
const ADDED: Operation = { kind: "add", text: "Port is 4100.", from: [31] };

test.each([
  ["bare", `{"ops":[${ADD}]}`],
  ["in a fence", `\`\`\`json\n{"ops":[${ADD}]}\n\`\`\``],
  ["with prose around", `Sure! Item [7] and {x} matter.\n{"ops":[${ADD}]}\nHope that "helps" }`],
  ["as a list alone", `[${ADD}]`],
  ["with more keys than asked for", `{"thoughts":"…","ops":[{"id":1,${ADD.slice(1)}]}`],
  ["with ids as the prompt writes them", '{"ops":[{"add":"Port is 4100.","from":["#31"]}]}'],
  ["with one id instead of a list", '{"ops":[{"add":"Port is 4100.","from":31}]}'],
  ["with lines and spaces in the text", '{"ops":[{"add":" Port is\\n\\t4100. ","from":[31]}]}'],
])("an answer %s is read", (_, answer) => {
  expect(readOperations(answer)).toEqual({ kind: "operations", operations: [ADDED] });
});

test.each<[string, Operation[]]>([
  [
    '{"rewrite":[7,8],"text":"New.","from":[31],"why":"moved"}',
    [{ kind: "rewrite", items: [7, 8], text: "New.", from: [31], reason: "moved" }],
  ],
  ['{"rewrite":[7],"text":"New.","from":[31]}', [{ kind: "rewrite", items: [7], text: "New.", from: [31] }]],
  ['{"rewrite":"[7]","text":"New."}', [{ kind: "rewrite", items: [7], text: "New.", from: [] }]],
  ['{"confirm":7,"from":[31,32]}', [{ kind: "confirm", item: 7, from: [31, 32] }]],
  [
    '{"confirm":[7,8],"from":[31]}',
    [
      { kind: "confirm", item: 7, from: [31] },
      { kind: "confirm", item: 8, from: [31] },
    ],
  ],
  ['{"drop":7,"why":"gone","from":[31]}', [{ kind: "drop", item: 7, reason: "gone", from: [31] }]],
  ['{"drop":7,"why":"gone"}', [{ kind: "drop", item: 7, reason: "gone" }]],
  ['{"skip":[31,32],"why":"chatter"}', [{ kind: "skip", from: [31, 32], reason: "chatter" }]],
])("%s", (operation, expected) => {
  expect(readOperations(`{"ops":[${operation}]}`)).toEqual({ kind: "operations", operations: expected });
});

test.each([
  ["", /not one JSON object/],
  ["I merged everything nicely.", /not one JSON object/],
  [`{"ops":[${ADD},{"add":"Half`, /cut off/],
  ["[1,2,3]", /not one JSON object/],
  ['{"operations":[]}', /not one JSON object/],
  ['{"ops":[]}', /no operation/],
  ['{"ops":[{"merge":[7]}]}', /operation 1: has none of the keys add, rewrite/],
  ['{"ops":["add"]}', /operation 1: has none of the keys/],
  [`{"ops":[${ADD},{"add":"X"}]}`, /operation 2: "from"/],
  ['{"ops":[{"add":"","from":[31]}]}', /operation 1: "add"/],
  [`{"ops":[{"add":"${"x".repeat(601)}","from":[31]}]}`, /operation 1: "add": .*600/],
  ['{"ops":[{"drop":7}]}', /operation 1: "why"/],
  ['{"ops":[{"skip":["all"],"why":"x"}]}', /operation 1: "skip/],
  ['{"ops":[{"confirm":7.5,"from":[31]}]}', /operation 1: "confirm"/],
])("%j cannot be used: %s", (answer, finding) => {
  const read = readOperations(answer);
  expect(read).toMatchObject({ kind: "unreadable", findings: [expect.stringMatching(finding)] });
});

test("every operation that is wrong is named", () => {
  expect(readOperations(`{"ops":[{"add":1},${ADD},{"drop":7}]}`)).toMatchObject({
    findings: [expect.stringContaining("operation 1"), expect.stringContaining("operation 3")],
  });
});

test("a long answer that never closes is given up quickly", () => {
  const started = performance.now();
  expect(readOperations(`{"ops":[${'{"add":"x","from":['.repeat(3000)}`).kind).toBe("unreadable");
  expect(performance.now() - started).toBeLessThan(2000);
});
