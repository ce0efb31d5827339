import fc from "fast-check";
import type { Observation } from "../../src/digest/observation.ts";
import { epochOf, noteOf } from "./merge-request.ts";

const WORDS = [
  "the a is are not never no without probably might port version timeout cache caches retry it's don't queue worker",
  "8080 9.1 v2 1,000 10% $5 #12 src/a.ts ./b/ ~/.z --x -v `a b` `f()` userName MAX_X foo() foo.bar x=1 a:b::c C++ @s/p",
  "switched from to replaced with by instead of no longer was removed renamed now uses defaults only if because Redis",
  "(see) [x] 'z' “c” e.g. U.S. … – https://a.b/c?d=e&f=1 不 ない ポート8080 не 한국 않 🙂 é The, A. I ; : ? !",
].flatMap((line) => line.split(" "));

/** Prose with everything in it that a merge has to be careful with. */
export const proseArbitrary: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
    ),
    { minLength: 1, maxLength: 14 },
  )
  .chain((words) => fc.constantFrom(".", "", ";", "!").map((end) => words.join(" ") + end));

/** Rows that share words, ids ascending from 1, with equal and disordered times. */
export const rowsArbitrary: fc.Arbitrary<Observation[]> = fc
  .array(
    fc.record({
      title: fc.oneof(proseArbitrary, fc.constant("")),
      narrative: fc.array(proseArbitrary, { maxLength: 3 }).map((all) => all.join(" ")),
      facts: fc.array(proseArbitrary, { maxLength: 3 }),
      epoch: fc.integer({ min: 0, max: 5 }).map((days) => epochOf("2026-03-01") + days * 86_400_000),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) => rows.map(({ title, ...row }, at) => noteOf(at + 1, "2026-03-01", title, row)));
