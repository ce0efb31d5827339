import { describe, expect, test } from "vitest";
import { readChange, repeatsClaim, supersedes } from "../../src/merge/extractive/supersede.ts";
import { tighten } from "../../src/merge/extractive/tighten.ts";
import { readText } from "../../src/text/words.ts";

function tell(text: string): {
  text: string;
  reading: ReturnType<typeof readText>;
  change: ReturnType<typeof readChange>;
} {
  const statement = { text, reading: readText(text) };
  return { ...statement, change: readChange(statement) };
}

describe("a newer statement replaces an older one", () => {
  test.each([
    ["The API server listens on port 9090", "The API server listens on port 8080"],
    ["Port of the API server changed from 8080 to 9090", "The API server listens on port 8080"],
    ["The port of the API server is 9090", "API server: port 8080"],
    ["The upload timeout is 60 s", "Upload timeout was set to 30 s"],
    ["The upload timeout of 60 s", "A 30 s upload timeout"],
    ["The timeout for uploads is 60 s", "The timeout for uploads is 30 s"],
    ["The worker requires Node 22", "The worker requires Node 20"],
    ["Upgraded zod from 3.22 to 4.0 in the worker", "The worker uses zod 3.22"],
    ["`MAX_TRIES` now defaults to 5", "Raised `MAX_TRIES` from 2 to 3"],
    ["Raised `MAX_TRIES` from 3 to 5", "`MAX_TRIES` defaults to 3"],
    ["The default branch is trunk", "The default branch is main"],
    ["The settings file lives in ~/.config/app.json", "The settings file lives in ~/.app.json"],
    ["Switched from Redis to RabbitMQ for the job queue", "The job queue uses Redis"],
    ["Replaced moment with dayjs in the date picker", "The date picker formats with moment"],
    ["Moment in the date picker was replaced by dayjs", "The date picker uses moment"],
    ["The job queue now uses RabbitMQ", "The job queue uses Redis"],
    ["Use pnpm instead of npm for the install step", "The install step uses npm"],
    ["The mailer no longer retries failed messages", "The mailer retries failed messages"],
    ["The mailer does not retry failed messages any more", "The mailer retries failed messages"],
    ["Removed the legacy auth middleware", "The legacy auth middleware checks the cookie"],
    ["`OldCache` was deleted", "`OldCache` keeps 500 entries"],
    ["Renamed loadUser to fetchUser in the session store", "The session store has loadUser"],
    ["Moved the parser from src/a.ts to src/b.ts", "The parser lives in src/a.ts"],
  ])("%s / %s", (newer, older) => {
    expect(supersedes(tell(newer), tell(older))).not.toBeNull();
    expect(
      supersedes(tell(newer), tell(tighten(older))),
      "against the older one as an item has it",
    ).not.toBeNull();
  });
});

describe("and does not", () => {
  test.each([
    [
      "alike, but another subject",
      "The admin server listens on port 9090",
      "The API server listens on port 8080",
    ],
    ["another place", "The staging API server listens on port 9090", "The API server listens on port 8080"],
    ["another attribute", "The upload limit is 60", "The upload timeout is 30"],
    ["the same value", "The API server listens on port 8080", "API server: port 8080"],
    ["things that are counted", "Fixed issue 13 in the parser", "Fixed issue 12 in the parser"],
    ["numbers of no attribute", "Ran 20 tests in the worker", "Ran 14 tests in the worker"],
    ["both at once", "The server listens on port 80 and 443", "The server listens on port 80"],
    ["what is only moved", "Moved to 3 columns in the report", "Moved to 2 columns in the invoice"],
    ["a plan", "We plan to switch from Redis to RabbitMQ for the job queue", "The job queue uses Redis"],
    ["a wish", "The upload timeout should be 60 s", "The upload timeout is 30 s"],
    ["a guess", "The upload timeout is probably 60 s", "The upload timeout is 30 s"],
    ["a denial", "We did not switch from Redis to RabbitMQ for the job queue", "The job queue uses Redis"],
    [
      "a denied removal",
      "The legacy auth middleware was not removed",
      "The legacy auth middleware checks the cookie",
    ],
    ["a question", "Was the upload timeout changed from 30 to 60?", "The upload timeout is 30"],
    [
      "another use of what was replaced",
      "Switched from Redis to RabbitMQ for the job queue",
      "The session cache uses Redis",
    ],
    ["a wider statement", "Switched from Redis to RabbitMQ for the job queue", "We use Redis"],
    [
      "what says so already",
      "Switched from Redis to RabbitMQ for the job queue",
      "Job queue moved from Redis to RabbitMQ",
    ],
    ["everybody uses many things", "The project now uses Redis", "The project uses Postgres"],
    ["needs add up", "The API now requires TLS", "The API requires a token"],
    ["a state, no value", "The embedding model is cached on disk", "The embedding model is loaded lazily"],
    ["support that was dropped", "Dropped support for Node 16", "Support for plugins is in src/plugins.ts"],
    [
      "removed from elsewhere",
      "Removed the retry logic from the upload worker",
      "The retry logic of the download worker waits",
    ],
    [
      "no longer, of something else",
      "The cache is no longer shared, tokens are kept in memory",
      "Tokens are kept in memory",
    ],
    [
      "likeness alone",
      "The cache keeps entries for an hour in the upload worker",
      "The cache keeps entries for a day in the upload worker",
    ],
  ])("%s: %s / %s", (_, newer, older) => {
    expect(supersedes(tell(newer), tell(older))).toBeNull();
  });
});

describe("a claim told again", () => {
  test.each([
    ["The API server still listens on port 90", "The port of the API server changed from 80 to 90", true],
    ["The API server listens on port 90", "The API server listens on port 80", false],
    [
      "The API server listens on port 90 behind a proxy",
      "The port of the API server changed from 80 to 90",
      false,
    ],
    ["The API server probably listens on port 90", "The port of the API server changed from 80 to 90", false],
  ])("%s / %s: %s", (newer, older, expected) => {
    expect(repeatsClaim(tell(newer), tell(older))).toBe(expected);
  });
});
