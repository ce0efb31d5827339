import { afterAll, beforeAll } from "vitest";
import { buildSuite } from "../support/build-suite.ts";
import { temporaryFolder } from "../support/cli.ts";
import { type FakeOpenAi, type RecordedChat, chatReply, fakeOpenAi } from "../support/fake-openai.ts";
import type { Behaviour } from "../support/model-behaviours.ts";

const wordsOf = ({ body }: RecordedChat) => body.messages.at(-1)?.content ?? "";

const home = temporaryFolder();
let server: FakeOpenAi;
let behaves: (prompt: string) => Behaviour;

beforeAll(() => {
  server = fakeOpenAi((chat) => chatReply(behaves(wordsOf(chat))));
});

afterAll(() => {
  server.stop();
  home[Symbol.dispose]();
});

buildSuite({
  word: "openai:qwen",
  home: () => home.path,
  env: () => ({ OPENAI_BASE_URL: server.url }),
  behave: (script) => {
    behaves = script;
  },
  requests: () => server.requests.map((chat) => ({ raw: chat.raw, words: wordsOf(chat) })),
});
