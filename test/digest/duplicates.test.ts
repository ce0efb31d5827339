import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateKey, nearDuplicates } from "../../src/digest/duplicates.ts";
import { readText } from "../../src/text/words.ts";
import { noteOf } from "../support/merge-request.ts";
import { proseArbitrary, rowsArbitrary } from "../support/rows.ts";

const DAY = "2026-03-01";
const base = noteOf(1, DAY, "Fixed the login", {
  narrative: "Uses `TokenCache` in src/a.ts, port 80.",
  facts: ["One", "Two"],
});

describe("exact duplicates", () => {
  test.each([
    ["another id and day", noteOf(9, "2026-05-01", base.title, base)],
    ["white space", { ...base, narrative: "  Uses\n`TokenCache`  in src/a.ts,\tport 80. " }],
    ["a full stop at the end", { ...base, title: "Fixed the login." }],
    [
      "the capital letter of a word",
      { ...base, title: "fixed the Login", narrative: base.narrative.replace("Uses", "uses") },
    ],
    ["the order of the facts", { ...base, facts: ["Two", "One"] }],
    ["another type, other tags", { ...base, type: "bugfix", concepts: ["pattern"] }],
  ])("%s", (_, other) => {
    expect(duplicateKey(other)).toBe(duplicateKey(base));
  });

  test("composed and decomposed letters", () => {
    expect(duplicateKey({ ...base, title: "U\u0308ber" })).toBe(
      duplicateKey({ ...base, title: "\u00dcber" }),
    );
  });

  test.each([
    ["a project", { ...base, project: "other" }],
    ["a number", { ...base, narrative: base.narrative.replace("80", "81") }],
    ["an identifier's letter", { ...base, narrative: base.narrative.replace("TokenCache", "tokenCache") }],
    ["a path", { ...base, narrative: base.narrative.replace("src/a.ts", "src/A.ts") }],
    ["a negation", { ...base, title: "Not fixed the login" }],
    ["an acronym", { ...base, title: "Fixed the LOGIN" }],
    ["a fact more", { ...base, facts: ["One", "Two", "Two"] }],
    ["a fact that is a narrative", { ...base, facts: ["One"], narrative: `${base.narrative} Two` }],
    ["a sign inside", { ...base, title: "Fixed: the login" }],
  ])("%s makes another row", (_, other) => {
    expect(duplicateKey(other)).not.toBe(duplicateKey(base));
  });

  test("rows of a subtitle alone are not all one", () => {
    expect(duplicateKey(noteOf(1, DAY, "", { subtitle: "a" }))).not.toBe(
      duplicateKey(noteOf(2, DAY, "", { subtitle: "b" })),
    );
  });

  test("a safe integer, and the same only where tokens, negations and words are", () => {
    fc.assert(
      fc.property(proseArbitrary, proseArbitrary, (a, b) => {
        const keys = [a, b].map((title) => duplicateKey(noteOf(1, DAY, title)));
        const [one, two] = [a, b].map(readText);
        expect(keys.every(Number.isSafeInteger)).toBe(true);
        if (keys[0] === keys[1]) expect(one).toEqual(two);
      }),
    );
  });

  test("two hundred thousand rows have as many keys", () => {
    const keys = new Set(Array.from({ length: 200_000 }, (_, n) => duplicateKey(noteOf(1, DAY, `row ${n}`))));
    expect(keys.size).toBe(200_000);
  });
});

const LONG =
  "The upload worker drops the connection to the image store after thirty idle minutes and then retries the whole batch";

describe("paraphrases in a batch", () => {
  test("the richer row stands for the other", () => {
    const batch = [
      noteOf(1, DAY, LONG),
      noteOf(2, DAY, `${LONG} again slowly`),
      noteOf(3, DAY, "Something else"),
    ];
    expect([...nearDuplicates(batch)]).toEqual([[1, 2]]);
  });

  test("of equals the newer one stands", () => {
    const batch = [noteOf(1, "2026-03-02", LONG), noteOf(2, "2026-03-01", LONG.replace("drops", "dropped"))];
    expect(nearDuplicates([batch[0]!, { ...batch[1]!, title: LONG }]).get(2)).toBe(1);
    expect(nearDuplicates(batch).size).toBe(1);
  });

  test.each([
    [
      "a number",
      "The worker retries 3 times before it gives up on the batch",
      "The worker retries 4 times before it gives up on the batch",
    ],
    ["an identifier", `${LONG} \`batchA\``, `${LONG} \`batchB\``],
    ["a path", `${LONG} in src/a.ts`, `${LONG} in src/b.ts`],
    ["a negation", LONG, LONG.replace("drops", "never drops")],
    ["a hedge", LONG, LONG.replace("drops", "probably drops")],
    ["a limit", LONG, LONG.replace("drops", "only drops")],
    ["a word for another", LONG, LONG.replace("image", "video")],
    [
      "who did it to whom",
      "Kafka replaced Redis as the queue of all the upload workers",
      "Redis replaced Kafka as the queue of all the upload workers",
    ],
    [
      "where the negation stands",
      "Uploads are not retried, but downloads are retried by workers",
      "Uploads are retried, but downloads are not retried by workers",
    ],
  ])("%s makes two events", (_, a, b) => {
    expect(nearDuplicates([noteOf(1, DAY, a), noteOf(2, DAY, b)]).size).toBe(0);
  });

  test("never lose a token, a negation or a doubt; the one that stands is no duplicate; order is nothing", () => {
    fc.assert(
      fc.property(rowsArbitrary, (rows) => {
        const twins = nearDuplicates(rows);
        for (const [id, twin] of twins) {
          const [gone, stands] = [id, twin].map((one) => {
            const { title, facts, narrative, text } = rows[one - 1]!;
            return readText([title, ...facts, narrative, text].join("\n"));
          });
          expect(twins.has(twin)).toBe(false);
          expect(gone?.tokens).toEqual(stands?.tokens);
          expect(gone?.negations).toEqual(stands?.negations);
          expect(gone?.hedges).toBe(stands?.hedges);
        }
        expect(nearDuplicates(rows.toReversed())).toEqual(twins);
      }),
    );
  });
});
