import { expect, test } from "vitest";
import { fold } from "../../src/digest/fold.ts";
import { gate } from "../../src/digest/gate.ts";
import { extractive } from "../../src/merge/extractive.ts";
import { modelMerge } from "../../src/merge/model.ts";
import { itemOf, noteOf, requestOf } from "../support/merge-request.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const REQUEST = requestOf(
  [
    itemOf(7, "2026-01-10", "The API listens on port 4000, set in server.ts."),
    itemOf(8, "2026-01-11", "Migrations run with `make db-up`, never by hand."),
    itemOf(9, "2026-01-12", "The queue needs Redis with maxmemory-policy noeviction."),
    itemOf(10, "2026-01-13", "Exports are written to /var/exports and kept for 14 days."),
  ],
  [
    noteOf(31, "2026-02-02", "API moved to port 4100", { narrative: "server.ts binds 4100 now." }),
    noteOf(32, "2026-02-03", "Login test is flaky", {
      narrative: "Probably login.spec.ts races the mail stub.",
    }),
  ],
);

/** A batch folded by a model that gives this answer however often it is asked. */
async function foldWith(answer: string) {
  const { model, prompts } = scriptedModel(answer);
  const merge = modelMerge({
    ask: () => model,
    check: (...args) => gate(...args).map(({ code, message }) => `${code}: ${message}`),
  });
  const folded = await fold(
    REQUEST,
    { merge, fallback: extractive, nextItemId: 11 },
    new AbortController().signal,
  );
  return { folded, calls: prompts.length };
}

const GOOD =
  '{"rewrite":[7],"text":"The API listens on port 4100, set in server.ts.","from":[31],"why":"moved"}';
const FLAKY = '{"add":"login.spec.ts is flaky: probably it races the mail stub.","from":[32]}';
const SKIP = '{"skip":[31,32],"why":"nothing to keep"}';

test("a good answer is folded", async () => {
  const { folded, calls } = await foldWith(`{"ops":[${GOOD},${FLAKY}]}`);
  expect(calls).toBe(1);
  expect(folded).toMatchObject({ kind: "folded", evicted: [] });
});

test.each([
  [
    "collapses the digest into one line, without a reason",
    `{"rewrite":[7,8,9,10],"text":"The API listens on port 4100.","from":[31]},${FLAKY}`,
    "shrink",
  ],
  [
    "drops nearly everything, with one reason for all",
    `{"drop":8,"why":"cleanup"},{"drop":9,"why":"cleanup"},{"drop":10,"why":"cleanup"},${SKIP}`,
    "shrink",
  ],
  [
    "drops nearly everything, with a dash for a reason",
    `{"drop":8,"why":"-"},{"drop":9,"why":"-"},${SKIP}`,
    "shrink",
  ],
  [
    "invents a path",
    `{"add":"The API binds 4100 in src/net/listen.ts.","from":[31]},${FLAKY}`,
    "invented-token",
  ],
  [
    "turns probably into a fact",
    `${GOOD},{"add":"login.spec.ts races the mail stub.","from":[32]}`,
    "lost-hedge",
  ],
  [
    "cites an observation of another project",
    `{"add":"API moved to port 4100","from":[31,9001]},${FLAKY}`,
    "unknown-observation",
  ],
  ["touches an item of another project", `{"confirm":9001,"from":[31]},${FLAKY}`, "unknown-item"],
])("a model that %s is stopped by name, after a second try", async (_, ops, code) => {
  const { folded, calls } = await foldWith(`{"ops":[${ops}]}`);
  expect(calls).toBe(2);
  expect(folded).toMatchObject({
    kind: "refused",
    code: "gate",
    findings: [expect.stringMatching(`^${code}: `)],
  });
});
