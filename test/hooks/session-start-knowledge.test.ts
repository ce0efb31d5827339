import { mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeKnowledgeBase, writeKnowledgeBase } from "../../seed/knowledge-base.ts";
import { queueCapture } from "../support/captures.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { runHook } from "../support/hooks.ts";
import { dailyLog, writeBase } from "../support/small-base.ts";

async function contextOf(
  home: string,
  env: Record<string, string> = {},
  input: object = {},
): Promise<string> {
  const { code, stdout, stderr } = await runHook(
    "session-start-knowledge",
    { cwd: join(home, "widgets-api"), source: "startup", ...input },
    { home, env },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  if (stdout === "") return "";
  const answer = JSON.parse(stdout);
  expect(answer).toEqual({
    hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: expect.any(String) },
  });
  return answer.hookSpecificOutput.additionalContext;
}

const ROW = (name: string, day: string) =>
  `| [[concepts/${name}]] | About ${name} | daily/${day}.md | ${day} |`;
const INDEX = (...rows: string[]) =>
  `# Knowledge Base Index\n\n| Article | Summary | Compiled From | Updated |\n|---|---|---|---|\n${rows.join("\n")}\n`;

/** As if it had been written a while ago: answers from files of this moment are not kept. */
function age(folder: string): void {
  const then = new Date(Date.now() - 60_000);
  for (const path of [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true, onlyFiles: false }), ""])
    utimesSync(join(folder, path), then, then);
}

test("a session gets its project's base, and every change of it: kept answers are never old ones", async () => {
  using folder = temporaryFolder();
  const home = folder.path;
  mkdirSync(join(home, "widgets-api"));
  const root = join(home, ".local/share/persisted-memory/knowledge/widgets-api");
  expect(await contextOf(home)).toBe("");
  writeBase(root, {
    "knowledge/index.md": INDEX(ROW("one", "2026-03-01")),
    "daily/2026-03-01.md": dailyLog("2026-03-01", ["first"]),
  });
  age(home);
  for (let n = 0; n < 2; n++)
    expect(await contextOf(home)).toMatch(/\[\[concepts\/one\]\][\s\S]*first it is/);
  writeBase(root, { "knowledge/index.md": INDEX(ROW("one", "2026-03-01"), ROW("two", "2026-03-02")) });
  expect(await contextOf(home)).toContain("[[concepts/two]]");
  age(home);
  await contextOf(home);
  writeBase(root, { "daily/2026-03-02.md": dailyLog("2026-03-02", ["second"]) });
  expect(await contextOf(home)).toContain("second it is");
  rmSync(root, { recursive: true });
  expect(await contextOf(home)).toBe("");
});

test("a flush has the next session's answer ready before the session asks for it", async () => {
  using folder = temporaryFolder();
  const home = folder.path;
  mkdirSync(join(home, "widgets-api"));
  const root = join(home, ".local/share/persisted-memory/knowledge/widgets-api");
  const state = join(home, ".local/state/persisted-memory");
  writeBase(root, { "daily/2026-03-01.md": dailyLog("2026-03-01", ["first"]) });
  age(home);
  const CLAUDE_PROJECT_DIR = join(home, "widgets-api");
  expect(await contextOf(home, { CLAUDE_PROJECT_DIR })).toContain("first it is");
  queueCapture(state, { base: root });
  expect(await runCli(["knowledge", "flush"], { home })).toMatchObject({ code: 0 });
  const kept = Array.from(new Bun.Glob("*.json").scanSync(join(state, "answers")), (name) =>
    readFileSync(join(state, "answers", name), "utf8"),
  );
  expect(kept).toHaveLength(1);
  expect(kept[0]).toContain("fact-s1-1-end");
});

test("a base of 300 articles fits the budget, whatever else is in the environment", async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "widgets-api"));
  const KNOWLEDGE_DIR = join(folder.path, "vault");
  writeKnowledgeBase(KNOWLEDGE_DIR, makeKnowledgeBase({ seed: 1, articles: 300 }));
  for (const source of ["startup", "resume", "clear", "compact", "fork", "later"]) {
    const text = await contextOf(folder.path, { KNOWLEDGE_DIR }, { source });
    expect(text.length).toBeGreaterThan(8000);
    expect(text.length).toBeLessThanOrEqual(9500);
  }
  expect((await contextOf(folder.path, { KNOWLEDGE_DIR, BLOCK_BUDGET: "2000" })).length).toBeLessThanOrEqual(
    2000,
  );
  expect(await contextOf(folder.path, { KNOWLEDGE_DIR, PERSISTED_MEMORY_INTERNAL: "1" })).toBe("");
});
