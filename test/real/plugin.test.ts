import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/cli.ts";
import { makeStore } from "../support/digest-store.ts";
import { fakeMessagesApi } from "../support/fake-messages-api.ts";
import { realClaude } from "../support/real-packages.ts";

const ROOT = join(import.meta.dirname, "..", "..");

test.each(["plugin", "."])(
  "`claude plugin validate %s` passes, without a warning of its own",
  async (path) => {
    using folder = temporaryFolder();
    const { code, stdout } = await claude(folder.path, ["plugin", "validate", join(ROOT, path)]);
    expect(stdout).toContain("Validation passed");
    expect(stdout).not.toContain("Validation passed with warnings");
    expect(code).toBe(0);
  },
);

test("installed from the repository as a marketplace, it gives a session the block", async () => {
  using folder = temporaryFolder();
  const home = folder.path;
  using api = disposable(fakeMessagesApi(() => ({ kind: "text", text: "hello" })));
  const store = join(home, ".local/share/persisted-memory/digests.db");
  makeStore(store, {
    "widgets-api": { gotcha: [{ text: "the queue drops jobs over 64 KB", sources: [7] }] },
  }).close();
  mkdirSync(join(home, "widgets-api"));
  for (const words of [
    ["plugin", "marketplace", "add", ROOT],
    ["plugin", "install", "persisted-memory@persisted-memory"],
  ]) {
    expect((await claude(home, words)).code).toBe(0);
  }
  const { code, stdout } = await claude(home, ["-p", "hi"], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_AUTH_TOKEN: "dummy",
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "hello\n" });
  expect(api.requests).toHaveLength(1);
  expect(api.requests[0]?.raw.split("the queue drops jobs over 64 KB #7")).toHaveLength(2);
});

async function claude(home: string, words: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([await realClaude(), ...words], {
    cwd: words[0] === "-p" ? join(home, "widgets-api") : home,
    env: {
      HOME: home,
      PATH: process.env["PATH"] ?? "",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return { stdout: await new Response(child.stdout).text(), code: await child.exited };
}

function disposable<Value extends { stop(): void }>(value: Value): Value & Disposable {
  return Object.assign(value, { [Symbol.dispose]: () => value.stop() });
}
