import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSuite } from "../support/build-suite.ts";
import { type ClaudeHome, claudeHome } from "../support/claude-home.ts";
import {
  type FakeMessagesApi,
  fakeMessagesApi,
  messagesReply,
  requestText,
} from "../support/fake-messages-api.ts";
import type { Behaviour } from "../support/model-behaviours.ts";

let home: ClaudeHome;
let api: FakeMessagesApi;
let behaves: (prompt: string) => Behaviour;

beforeAll(async () => {
  api = fakeMessagesApi((request) => messagesReply(behaves(requestText(request))));
  home = await claudeHome(api.url);
});

afterAll(() => {
  api.stop();
  home[Symbol.dispose]();
});

buildSuite({
  word: "haiku",
  home: () => home.path,
  env: () => home.env,
  behave: (script) => {
    behaves = script;
  },
  requests: () => api.requests.map((request) => ({ raw: request.raw, words: requestText(request) })),
});

test("no hook of the user's or of a plugin has fired, and no session was left", () => {
  expect(home.starts().length).toBeGreaterThan(20);
  expect(home.fired()).toEqual([]);
  expect(home.sessions()).toEqual([]);
});
