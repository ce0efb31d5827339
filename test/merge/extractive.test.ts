import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { apply } from "../../src/digest/apply.ts";
import { fit } from "../../src/digest/fit.ts";
import { gate } from "../../src/digest/gate.ts";
import { type Item, digestUnits } from "../../src/digest/item.ts";
import type { Observation } from "../../src/digest/observation.ts";
import { statements } from "../../src/digest/statements.ts";
import { extractive } from "../../src/merge/extractive.ts";
import type { MergeRequest, Operation } from "../../src/merge/merge.ts";
import { readText } from "../../src/text/words.ts";
import { itemOf, noteOf, requestOf } from "../support/merge-request.ts";
import { rowsArbitrary } from "../support/rows.ts";

async function operationsOf(request: MergeRequest): Promise<readonly Operation[]> {
  const outcome = await extractive(request, new AbortController().signal);
  if (outcome.kind !== "merged") throw new Error(outcome.kind);
  return outcome.operations;
}

/** Folds rows into an empty digest, a few at a time. */
async function digestOf(
  rows: readonly Observation[],
  { batch = 4, budgetUnits = 2400 } = {},
): Promise<Item[]> {
  let items: Item[] = [];
  let nextItemId = 1;
  for (let at = 0; at < rows.length; at += batch) {
    const request = requestOf(items, rows.slice(at, at + batch), { budgetUnits });
    const operations = await operationsOf(request);
    expect(gate(request, operations)).toEqual([]);
    const result = apply(request, operations, nextItemId);
    nextItemId = result.nextItemId;
    items = fit(result.items, { budgetUnits }).kept;
  }
  return items;
}

const textsOf = (items: readonly Item[]) => items.map(({ text }) => text);

describe("what becomes of statements", () => {
  test("new ones are added, tightened, with their source", async () => {
    const note = noteOf(5, "2026-03-01", "The mailer is retrying in src/mail.ts", {
      facts: ["The limit of the queue is 40."],
    });
    expect(await operationsOf(requestOf([], [note]))).toEqual([
      { kind: "add", text: "Mailer retrying in src/mail.ts", from: [5] },
      { kind: "add", text: "Limit of queue is 40", from: [5] },
    ]);
  });

  test("what an item says already confirms it, and the whole row is accounted for", async () => {
    const known = itemOf(7, "2026-03-01", "Mailer retrying in src/mail.ts");
    const note = noteOf(8, "2026-03-02", "The mailer is retrying in src/mail.ts", {
      narrative: "The mailer retries in src/mail.ts.",
    });
    expect(await operationsOf(requestOf([known], [note]))).toEqual([{ kind: "confirm", item: 7, from: [8] }]);
  });

  test("what says more takes the item's place", async () => {
    const known = itemOf(7, "2026-03-01", "Mailer retries messages in src/mail.ts");
    const note = noteOf(8, "2026-03-02", "The mailer retries lost messages in src/mail.ts");
    expect(await operationsOf(requestOf([known], [note]))).toEqual([
      { kind: "rewrite", items: [7], text: "Mailer retries lost messages in src/mail.ts", from: [8] },
    ]);
  });

  test.each(["pinned", "manual"])("an item that is %s keeps its words", async (how) => {
    const known = itemOf(
      7,
      "2026-03-01",
      "Upload server listens on port 80",
      how === "pinned" ? { pinned: true } : { origin: "manual" },
    );
    const notes = [
      noteOf(8, "2026-03-02", "The upload server now listens on port 90"),
      noteOf(9, "2026-03-03", "The slow upload server listens on port 80"),
    ];
    expect(textsOf((await applied([known], notes)).items)).toContain(known.text);
  });

  test("a title that its facts tell is not told twice", async () => {
    const note = noteOf(5, "2026-03-01", "Mailer lost messages at restart", {
      facts: ["At restart the mailer lost 12 messages of the queue"],
    });
    expect(textsOf(await digestOf([note]))).toHaveLength(2);
    const same = noteOf(5, "2026-03-01", "The mailer lost 12 messages at restart", {
      facts: ["At restart the mailer lost 12 messages"],
    });
    expect(textsOf(await digestOf([same]))).toEqual(["Mailer lost 12 messages at restart"]);
  });

  test("rows that say nothing are skipped", async () => {
    expect(
      await operationsOf(requestOf([], [noteOf(1, "2026-03-01", ""), noteOf(2, "2026-03-01", "it is")])),
    ).toEqual([{ kind: "skip", from: [1, 2], reason: "empty" }]);
  });

  test("what would not fit is named, and not added", async () => {
    const notes = Array.from({ length: 40 }, (_, at) =>
      noteOf(at + 1, "2026-03-01", `Part ${at} of the plant needs oil`, { facts: ["Talked about it"] }),
    );
    const operations = await operationsOf(requestOf([], notes, { budgetUnits: 300 }));
    const added = operations.filter(({ kind }) => kind === "add");
    const passed = operations.flatMap((operation) => (operation.kind === "pass" ? [operation] : []));
    expect(added.length).toBeLessThan(20);
    expect(passed.length).toBeGreaterThan(20);
    for (const { from, statements: numbers } of passed) {
      expect(numbers.every((number) => statements(notes[from[0] - 1]!)[number] !== undefined)).toBe(true);
    }
  });
});

async function applied(
  items: readonly Item[],
  notes: readonly Observation[],
): Promise<ReturnType<typeof apply>> {
  const request = requestOf(items, notes);
  return apply(request, await operationsOf(request), 100);
}

describe("supersession", () => {
  const old = itemOf(7, "2026-03-01", "Upload server listens on port 80", { sources: [3] });

  test("a new value drops the old one, with the reason and the successor", async () => {
    const { items, left } = await applied(
      [old],
      [noteOf(8, "2026-03-02", "The upload server listens on port 90")],
    );
    expect(textsOf(items)).toEqual(["Upload server listens on port 90"]);
    expect(items[0]?.sources).toEqual([8]);
    expect(left).toEqual([
      { item: old, kind: "superseded", reason: "now port 90", replacedBy: items[0]?.id },
    ]);
  });

  test("a late row never does: its own words go to the archive", async () => {
    const { items, left } = await applied(
      [old],
      [noteOf(8, "2026-02-02", "The upload server listens on port 70")],
    );
    expect(items).toEqual([old]);
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({
      item: { text: "The upload server listens on port 70", sources: [8] },
      replacedBy: 7,
    });
  });

  test("nor does a row from the future, against one that is as new as now", async () => {
    const current = { ...old, lastEpoch: requestOf([], []).now };
    const { items } = await applied(
      [current],
      [noteOf(8, "2026-02-02", "The upload server listens on port 70")],
    );
    expect(items).toEqual([current]);
  });

  test("inside one batch only the last value stays", async () => {
    const notes = ["70", "80", "90"].map((port, at) =>
      noteOf(at + 1, `2026-03-0${at + 1}`, `The upload server listens on port ${port}`),
    );
    const { items, left, accounted } = await applied([], notes);
    expect(textsOf(items)).toEqual(["Upload server listens on port 90"]);
    expect(left.map(({ item }) => item.sources)).toEqual([[1], [2]]);
    expect([...accounted.keys()]).toEqual([1, 2, 3]);
  });

  test("one row's statements never supersede each other", async () => {
    const note = noteOf(1, "2026-03-01", "", {
      facts: ["The upload server listens on port 80", "The upload server listens on port 90"],
    });
    expect((await applied([], [note])).left).toEqual([]);
  });
});

describe("any rows whatever", () => {
  test("every row is accounted for, the gate is content, nothing is invented, the budget holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        rowsArbitrary,
        fc.integer({ min: 60, max: 1500 }),
        fc.integer({ min: 1, max: 12 }),
        async (rows, budgetUnits, batch) => {
          let items: readonly Item[] = [];
          for (let at = 0; at < rows.length; at += batch) {
            const request = requestOf(items, rows.slice(at, at + batch), { budgetUnits });
            const operations = await operationsOf(request);
            expect(await operationsOf(structuredClone(request))).toEqual(operations);
            expect(gate(request, operations)).toEqual([]);
            const result = apply(request, operations, 100 * (at + 1));
            expect([...result.accounted.keys()].toSorted((a, b) => a - b)).toEqual(
              request.observations.map(({ id }) => id),
            );
            items = fit(result.items, { budgetUnits }).kept;
            expect(digestUnits(items)).toBeLessThanOrEqual(budgetUnits);
          }
          for (const { text, sources } of items) {
            const said = sources
              .flatMap((id) => rows.filter((row) => row.id === id))
              .map((row) => JSON.stringify(row))
              .join("\n");
            for (const token of readText(text).tokens)
              expect(said).toContain(JSON.stringify(token).slice(1, -1));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test("the same rows again only confirm, unless one of them said that another is over", async () => {
    await fc.assert(
      fc.asyncProperty(rowsArbitrary, async (rows) => {
        const first = requestOf([], rows, { budgetUnits: 100_000 });
        const { items, left } = apply(first, await operationsOf(first), 1);
        fc.pre(left.length === 0);
        const again = rows.map((row) => ({ ...row, id: row.id + 100, epoch: row.epoch + 30 * 86_400_000 }));
        const operations = await operationsOf(requestOf(items, again, { budgetUnits: 100_000 }));
        expect(operations.filter(({ kind }) => kind !== "confirm" && kind !== "skip")).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
