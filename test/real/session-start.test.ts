import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readHeartbeat } from "../../src/store/heartbeat.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { type StoreContent, makeStore } from "../support/digest-store.ts";
import { type FakeMessagesApi, fakeMessagesApi } from "../support/fake-messages-api.ts";
import { realClaude } from "../support/real-packages.ts";

const PLUGIN = join(import.meta.dirname, "..", "..", "plugin");
const CONTENT: StoreContent = {
  "widgets-api": {
    decision: [
      {
        text: 'Postgres holds the queue, since `FOR UPDATE SKIP LOCKED` \\ "quoted" ünïcode 日本語',
        sources: [3],
      },
    ],
    gotcha: [{ text: "the queue drops jobs over 64 KB", sources: [7, 9] }],
  },
};

let folder: ReturnType<typeof temporaryFolder>;
let api: FakeMessagesApi;
let home: string;
beforeEach(() => {
  folder = temporaryFolder();
  home = folder.path;
  api = fakeMessagesApi(() => ({ kind: "text", text: "hello" }));
  mkdirSync(join(home, "widgets-api"));
});
afterEach(() => {
  api.stop();
  folder[Symbol.dispose]();
});

test("after `install --apply` a session's request holds our block: whole, once, as `read` prints it", async () => {
  fillStore(CONTENT);
  await install();
  expect(await blocksSent("widgets-api")).toEqual([await blockOf("widgets-api")]);
});

test("the same through the plugin alone", async () => {
  fillStore(CONTENT);
  expect(await blocksSent("widgets-api", ["--plugin-dir", PLUGIN])).toEqual([await blockOf("widgets-api")]);
});

test("with the plugin beside `install` it is there once", async () => {
  fillStore(CONTENT);
  await install();
  for (let session = 0; session < 2; session++) {
    expect(await blocksSent("widgets-api", ["--plugin-dir", PLUGIN])).toEqual([await blockOf("widgets-api")]);
  }
});

test("in a git worktree it holds the parent's digests too", async () => {
  const feature = { gotcha: [{ text: "only the feature branch knows this", sources: [21] }] };
  fillStore({ ...CONTENT, "widgets-api/wt-feature": feature });
  const git = (...words: string[]) => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...words], {
      cwd: join(home, "widgets-api"),
      env: { HOME: home, PATH: process.env["PATH"] ?? "" },
    });
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({
      exitCode: 0,
      stderr: "",
    });
  };
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "-m", "first");
  git("worktree", "add", "--quiet", "../wt-feature");
  await install();
  const [block = "", ...more] = await blocksSent("wt-feature");
  expect(more).toEqual([]);
  expect(block).toContain("- only the feature branch knows this #21");
  expect(block).toContain("- the queue drops jobs over 64 KB #9,7");
  expect(block).toBe(await blockOf("wt-feature"));
});

test("of 40 KB of digests what arrives is whole, below the cap, and ends with the footer", async () => {
  const types = ["decision", "gotcha", "pattern", "how-it-works"];
  const items = (type: string) =>
    Array.from({ length: 50 }, (_, at) => ({
      text: `${type} ${at}: src/module-${at}.ts keeps ${"its retries and timeouts in one table ".repeat(4)}日本`,
      sources: [at + 1],
    }));
  const content = { "widgets-api": Object.fromEntries(types.map((type) => [type, items(type)])) };
  expect(JSON.stringify(content).length).toBeGreaterThan(40_000);
  fillStore(content);
  await install();
  const [block = "", ...more] = await blocksSent("widgets-api");
  expect(more).toEqual([]);
  expect(block.length).toBeLessThan(10_000);
  expect(block.length).toBeGreaterThan(8500);
  expect(block).toMatch(
    /\nThrough 2026-05-03 · \d+ more notes: persisted-memory read widgets-api --json\n<\/persisted-memory>$/,
  );
  expect(block).toBe(await blockOf("widgets-api"));
  expect(api.requests.map(({ raw }) => raw.includes("persisted-output"))).toEqual([false]);
});

test("the end of a headless session starts no build", async () => {
  mkdirSync(join(home, ".claude-mem"));
  writeFileSync(join(home, ".claude-mem/claude-mem.db"), "a build would complain about this file");
  await install();
  expect(await blocksSent("widgets-api")).toEqual([]);
  await Bun.sleep(2000);
  expect(readHeartbeat(join(home, ".local/state/persisted-memory"), storePath())).toBeNull();
});

function storePath(): string {
  return join(home, ".local/share/persisted-memory/digests.db");
}

function fillStore(content: StoreContent): void {
  makeStore(storePath(), content).close();
}

async function install(): Promise<void> {
  const { code, stderr } = await runCli(["install", "--apply"], { home });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

async function blockOf(project: string): Promise<string> {
  const { stdout } = await runCli(["read", "--json"], { home, cwd: join(home, project) });
  return JSON.parse(stdout).block;
}

/** What Claude Code sends of our blocks when it is asked something in a folder. */
async function blocksSent(project: string, words: readonly string[] = []): Promise<string[]> {
  api.requests.length = 0;
  const child = Bun.spawn([await realClaude(), ...words, "-p", "hi"], {
    cwd: join(home, project),
    env: {
      HOME: home,
      PATH: process.env["PATH"] ?? "",
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_AUTH_TOKEN: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, stdout: stdout.trim(), stderr }).toEqual({
    code: 0,
    stdout: "hello",
    stderr: "",
  });
  expect(api.requests).toHaveLength(1);
  const texts = allTexts(api.requests[0]?.body);
  return texts.flatMap((text) => text.match(/<persisted-memory project=[^]*?<\/persisted-memory>/g) ?? []);
}

/** Every text of a request, wherever it stands. */
function allTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(allTexts) : [];
}
