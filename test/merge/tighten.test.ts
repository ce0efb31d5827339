import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tighten } from "../../src/merge/extractive/tighten.ts";
import { readText } from "../../src/text/words.ts";
import { proseArbitrary } from "../support/rows.ts";

describe("tightening", () => {
  test.each([
    ["The cache is shared between the workers.", "Cache shared between workers"],
    ["A worker is retrying the upload.", "Worker retrying upload"],
    ["In order to run it, the user has to set the flag.", "To run it, user must set flag"],
    ["The mailer, which is slow, has been replaced.", "Mailer, slow, replaced"],
    ["We found that the port is 8080.", "We found port is 8080"],
    ["The team is planning to drop it, as well as the queue.", "Team plans to drop it, and queue"],
    ["Jon is really proud of his work.", "Jon proud of work"],
  ])("%s", (line, expected) => {
    expect(tighten(line)).toBe(expected);
  });

  test.each([
    ["an article that counts", "A few tests fail a lot once a week"],
    ["names with articles", 'Read "The Name of the Wind" and `the flag`'],
    ["a negation, a doubt, a limit", "Retry is not only probably needed"],
    ["what is past", "Port was 8080 then"],
    ["an object that looks like an owner", "They help her and keep her informed"],
    ["a value behind is", "Limit is 5"],
    ["Spanish", "Va a usar la cache del servidor para los datos"],
    ["German", "Der Server ist an die Liste an einem Tag gebunden"],
    ["French", "Il a un cache de la page et a des erreurs"],
    ["Chinese", "缓存是共享的 a 的"],
    ["a single word", "the"],
  ])("leaves %s", (_, line) => {
    expect(tighten(line)).toBe(line);
  });

  test("changes no content, no token, no negation, no doubt, and only once", () => {
    fc.assert(
      fc.property(proseArbitrary, (line) => {
        const tight = tighten(line.trim());
        const [before, after] = [line, tight].map(readText);
        expect(after).toEqual(before);
        expect(tight.length).toBeLessThanOrEqual(line.length);
      }),
    );
  });
});
