import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryPlace } from "../../src/claude/memory-directories.ts";
import { decode } from "../../src/memory/directory.ts";
import { loadFile } from "../../src/memory/loaded.ts";
import { type FakeMessagesApi, fakeMessagesApi, requestText } from "../support/fake-messages-api.ts";
import { memoryContents } from "../support/memory-directories.ts";
import { realClaude } from "../support/real-packages.ts";

/** What Claude Code says of the cut, from which the counted lines can be read. */
interface Seen {
  /** The path that the request names, `null` where no memory was loaded. */
  path: string | null;
  text: string;
  cut: { counted: number; dropped: number; first: number } | null;
}

/** The same indexes every time, unless told otherwise: a new quirk is found on purpose, not by chance. */
const SEED = Number(process.env["LOADER_SEED"] ?? 1);

let api: FakeMessagesApi;
let claude: string;
let home: string;
beforeAll(async () => {
  claude = await realClaude();
  api = fakeMessagesApi(() => ({ kind: "text", text: "ok" }));
  home = realpathSync(mkdtempSync(join(tmpdir(), "pmem-loader-")));
});
afterAll(() => {
  api.stop();
  rmSync(home, { recursive: true, force: true });
});

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** One prompt to the real program; what its request carried of a MEMORY.md. */
async function seen(cwd: string, env: Record<string, string> = {}): Promise<Seen> {
  mkdirSync(cwd, { recursive: true });
  const child = Bun.spawn([claude, "-p", "--output-format", "json"], {
    cwd,
    stdin: Buffer.from("hi"),
    stdout: "pipe",
    stderr: "pipe",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_AUTH_TOKEN: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...env,
    },
  });
  const before = api.requests.length;
  const [stdout] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  const request = api.requests[before];
  if (request === undefined) throw new Error(`no request: ${stdout}`);
  return readMemory(requestText(request));
}

function readMemory(words: string): Seen {
  const head = /Contents of (\S+MEMORY\.md) \(user's auto-memory, persists across conversations\):\n\n/.exec(
    words,
  );
  if (head === null) return { path: null, text: "", cut: null };
  const rest = words.slice(head.index + head[0].length);
  const ends = ["\n\n> WARNING: MEMORY.md is", "\n      IMPORTANT: this context", "\n</system-reminder>"];
  const end = Math.min(...ends.map((mark) => rest.indexOf(mark)).filter((at) => at >= 0));
  const notice = /(\d+) of (\d+) lines were cut off, starting at line (\d+)/.exec(rest);
  const [, dropped, counted, first] = (notice ?? []).map(Number);
  return {
    path: head[1] ?? null,
    text: rest.slice(0, end).trimEnd(),
    cut:
      dropped === undefined || counted === undefined || first === undefined
        ? null
        : { counted, dropped, first },
  };
}

let projects = 0;
async function expectSame(index: string): Promise<void> {
  const cwd = join(home, `p${projects++}`);
  put(join(memoryPlace(cwd, { HOME: home }).directory, "MEMORY.md"), index);
  const { text, cut } = await seen(cwd);
  const bytes = new TextEncoder().encode(index);
  const loaded = loadFile({ path: "MEMORY.md", bytes, text: decode(bytes) });
  expect(loaded.text).toBe(text);
  if (cut === null) return;
  expect({
    counted: loaded.counted.length,
    dropped: loaded.dropped.length,
    first: loaded.loadedLines + 1,
  }).toEqual(cut);
}

const entries = (count: number, units = 0) =>
  Array.from({ length: count }, (_, at) => `- entry ${at + 1}`.padEnd(units, "x"));
// a closing tag right under a list item is left out: Claude Code's parser takes it for the item's text, CommonMark does not
const oddLine = fc.constantFrom(
  "<!-- note -->",
  "<!-- two\nlines -->",
  "<!-- a --> behind",
  "text <!-- within -->",
  "  <!-- indented -->",
  "    <!-- code -->",
  "```",
  "~~~~",
  "<div>",
  "\n</div>\n",
  "<!-- open",
  "-->",
  "---",
  "",
  "",
  "- item\n  <!-- in an item -->",
  "> <!-- quoted -->",
  "| a | b |\n|---|---|",
  "# Heading",
  "emoji 😀😀",
  "가나다",
  "a\u2028b",
);
/** Indexes near the caps, with what makes counting hard. */
const index = fc
  .record({
    front: fc.constantFrom(
      "",
      "",
      "---\nname: x\n---\n",
      "--- \nname: a --- b\n",
      "---\n- a\n\n---\n",
      "\n\n---\nx\n---\n",
      "\uFEFF",
      "\uFEFF---\nname: x\n---\n",
    ),
    odd: fc.array(fc.tuple(oddLine, fc.nat(210)), { maxLength: 8 }),
    count: fc.constantFrom(5, 195, 199, 200, 203, 240),
    units: fc.constantFrom(0, 0, 60, 123, 125, 140),
    eol: fc.constantFrom("\n", "\n", "\n", "\r\n"),
    end: fc.constantFrom("", "\n", "\n\n\n"),
  })
  .map(({ front, odd, count, units, eol, end }) => {
    const lines = entries(count, units);
    for (const [line, at] of odd) lines.splice(Math.min(at, lines.length), 0, line);
    return (front + lines.join("\n") + end).replaceAll("\n", eol);
  });

describe("what we say loads is what the request carries", () => {
  test("for indexes near the caps", async () => {
    await fc.assert(fc.asyncProperty(index, expectSame), {
      seed: SEED,
      numRuns: 120,
      interruptAfterTimeLimit: 400_000,
      markInterruptAsFailure: false,
    });
  });

  test("for the directories of the property tests", async () => {
    const some = memoryContents.map((contents) => contents["MEMORY.md"] ?? "");
    await fc.assert(fc.asyncProperty(some, expectSame), {
      seed: SEED,
      numRuns: 40,
      interruptAfterTimeLimit: 200_000,
      markInterruptAsFailure: false,
    });
  });
});

describe("the directory that we name is the one that it loads", () => {
  const git = (cwd: string, ...words: string[]) => {
    const done = Bun.spawnSync(["git", "-c", "user.email=a@b.c", "-c", "user.name=n", ...words], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: home },
    });
    if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  };

  async function expectPlace(cwd: string, env: Record<string, string> = {}): Promise<void> {
    const { directory } = memoryPlace(cwd, { HOME: home, ...env });
    put(join(directory, "MEMORY.md"), "# here\n");
    expect((await seen(cwd, env)).path).toBe(join(directory, "MEMORY.md"));
  }

  test("in a repository, its folders and its worktrees", async () => {
    const repo = join(home, "my_repo.v2");
    mkdirSync(join(repo, "packages/api"), { recursive: true });
    git(repo, "init", "-q");
    git(repo, "commit", "-q", "--allow-empty", "-m", "x");
    git(repo, "worktree", "add", "-q", "../wt");
    for (const cwd of [repo, join(repo, "packages/api"), join(home, "wt")]) await expectPlace(cwd);
  });

  test("where settings name another", async () => {
    const repo = join(home, "named");
    mkdirSync(join(repo, "sub"), { recursive: true });
    git(repo, "init", "-q");
    put(
      join(repo, ".claude/settings.json"),
      JSON.stringify({ autoMemoryDirectory: join(home, "by-project") }),
    );
    await expectPlace(repo);
    await expectPlace(join(repo, "sub"));
    put(join(repo, ".claude/settings.local.json"), JSON.stringify({ autoMemoryDirectory: "~/by-local" }));
    await expectPlace(repo);
    await expectPlace(join(repo, "sub"));
    put(join(repo, ".claude/settings.local.json"), JSON.stringify({ autoMemoryDirectory: "relative" }));
    await expectPlace(repo);
  });

  test("with a config directory of one's own, and a very long path", async () => {
    await expectPlace(join(home, "plain"), { CLAUDE_CONFIG_DIR: join(home, "cfg") });
    await expectPlace(join(home, "a".repeat(120), "b".repeat(120)));
  });
});
