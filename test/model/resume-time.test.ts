import { expect, test } from "vitest";
import { parseResumeTime } from "../../src/model/resume-time.ts";

const NOW = new Date("2026-09-10T12:00:00Z");

test.each([
  ["resets 10:05pm (UTC)", "2026-09-10T22:05:00Z"],
  ["resets 11am (UTC)", "2026-09-11T11:00:00Z"],
  ["resets 12am (UTC)", "2026-09-11T00:00:00Z"],
  ["resets 12:30pm (UTC)", "2026-09-10T12:30:00Z"],
  ["resets 1pm (Europe/Lisbon)", "2026-09-11T12:00:00Z"],
  ["resets 2pm (Europe/Lisbon)", "2026-09-10T13:00:00Z"],
  ["resets 5am (Asia/Tokyo)", "2026-09-10T20:00:00Z"],
  ["resets Sep 14 at 8pm (Europe/Lisbon)", "2026-09-14T19:00:00Z"],
  ["resets Sep 14, 8:30pm (UTC)", "2026-09-14T20:30:00Z"],
  ["resets Jan 2 at 9am (UTC)", "2027-01-02T09:00:00Z"],
  ["resets September 14 at 8pm (UTC)", "2026-09-14T20:00:00Z"],
  ["resets 22:05 (UTC)", "2026-09-10T22:05:00Z"],
  ["Claude AI usage limit reached|1762952400", "2025-11-12T13:00:00Z"],
])("%s", (notice, expected) => {
  expect(parseResumeTime(`You've hit your limit · ${notice}`, NOW)?.toISOString()).toBe(
    new Date(expected).toISOString(),
  );
});

test.each([
  "resets soon",
  "resets 10pm (Middle/Earth)",
  "resets 25:00 (UTC)",
  "resets Feb 31 at 8pm (UTC)",
  "resets Foo 3 at 8pm (UTC)",
  "",
])("%j says no time", (notice) => {
  expect(parseResumeTime(notice, NOW)).toBeUndefined();
});
