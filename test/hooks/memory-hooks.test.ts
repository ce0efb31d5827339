import { mkdirSync, readFileSync, writeFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryPlace } from "../../src/claude/memory-directories.ts";
import { temporaryFolder } from "../support/cli.ts";
import { runHook } from "../support/hooks.ts";

interface Session {
  home: string;
  cwd: string;
  /** The project's memory directory. */
  memory: string;
  put: (path: string, text: string) => void;
  prompt: (session?: string, env?: Record<string, string>) => Promise<string>;
  wrote: (path: string, originalFile: string | null, tool?: string) => Promise<string>;
}

async function withSession(run: (session: Session) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const home = folder.path;
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const memory = memoryPlace(cwd, { HOME: home }).directory;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(memory, path)), { recursive: true });
    writeFileSync(join(memory, path), text);
  };
  const said = async (name: string, input: object, env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runHook(name, { cwd, ...input }, { home, cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  await run({
    home,
    cwd,
    memory,
    put,
    prompt: (session = "s1", env) =>
      said("user-prompt-submit", { session_id: session, hook_event_name: "UserPromptSubmit" }, env),
    wrote: (path, originalFile, tool = "Write") =>
      said("post-tool-use", {
        hook_event_name: "PostToolUse",
        tool_name: tool,
        tool_input: { file_path: join(memory, path) },
        tool_response: { originalFile },
      }),
  });
}

const old = (count: number) =>
  Array.from({ length: count }, (_, at) => `- [Old ${at}](t.md) — true in its time (2024-01-01)`).join("\n");
const undated = (count: number) => Array.from({ length: count }, (_, at) => `- fact ${at}`).join("\n");

describe("user-prompt-submit", () => {
  test("says nothing where there is no memory, and none where there is nothing to do", async () => {
    await withSession(async ({ prompt, put }) => {
      expect(await prompt()).toBe("");
      put("MEMORY.md", `${old(10)}\n`);
      expect(await prompt()).toBe("");
      put("MEMORY.md", `${undated(120)}\n`);
      expect(await prompt()).toBe("");
    });
  });

  test("over the trigger, says so once a session", async () => {
    await withSession(async ({ prompt, put, memory }) => {
      put("MEMORY.md", `${old(60)}\n`);
      expect(JSON.parse(await prompt("s1")).systemMessage).toMatch(
        /would move 60 old entries to its archive/,
      );
      expect(await prompt("s1")).toBe("");
      put("MEMORY.md", `${old(61)}\n`);
      expect(await prompt("s1")).toBe("");
      expect(JSON.parse(await prompt("s2")).systemMessage).toMatch(/would move 61 old entries/);
      expect(readdirSync(memory)).toEqual(["MEMORY.md"]);
    });
  });

  test("near the limit with nothing to archive, points to the audit", async () => {
    await withSession(async ({ prompt, put }) => {
      put("MEMORY.md", `${undated(190)}\n`);
      expect(JSON.parse(await prompt()).systemMessage).toMatch(/near the limit .*memory audit/);
    });
  });

  test("archives where the person chose that, and says what it did", async () => {
    await withSession(async ({ prompt, put, memory }) => {
      put("MEMORY.md", `${old(60)}\n- [New](n.md) — holds\n`);
      put("t.md", "---\ntype: project\n---\n");
      const message = JSON.parse(await prompt("s1", { MEMORY_AUTO_ARCHIVE: "on" })).systemMessage;
      expect(message).toMatch(/moved 60 old entries.*memory undo --apply/);
      expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).toMatch(
        /^- \[New\]\(n\.md\) — holds\n\n## Archive Index\n/,
      );
      expect(await prompt("s1", { MEMORY_AUTO_ARCHIVE: "on" })).toBe("");
    });
  });

  test("is silent where Claude Code loads no memory", async () => {
    await withSession(async ({ prompt, put }) => {
      put("MEMORY.md", `${old(60)}\n`);
      expect(await prompt("s1", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" })).toBe("");
    });
  });
});

describe("post-tool-use", () => {
  const context = (stdout: string): string => JSON.parse(stdout).hookSpecificOutput.additionalContext;

  test("tells of lines that a write pushed over the cap, and which", async () => {
    await withSession(async ({ put, wrote }) => {
      put("MEMORY.md", `${undated(203)}\n`);
      expect(context(await wrote("MEMORY.md", `${undated(199)}\n`))).toMatch(
        /3 lines at its end no longer load \(201: - fact 200/,
      );
      expect(await wrote("MEMORY.md", `${undated(203)}\n`)).toBe("");
    });
  });

  test("tells of files that lost their last link", async () => {
    await withSession(async ({ put, wrote }) => {
      put("MEMORY.md", "- [A](a.md)\n");
      for (const name of ["a", "b", "c"]) put(`${name}.md`, "");
      expect(context(await wrote("MEMORY.md", "- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n", "Edit"))).toMatch(
        /last link to b\.md, c\.md/,
      );
    });
  });

  test.each<[string, string, string | null]>([
    ["a write that did no harm", "MEMORY.md", "- [A](a.md)\n"],
    ["a new index", "MEMORY.md", null],
    ["a topic file", "a.md", "x"],
    ["an index that is no memory", "../../other/MEMORY.md", "- [A](a.md)\n- [B](b.md)\n"],
  ])("is silent about %s", async (_, path, before) => {
    await withSession(async ({ put, wrote }) => {
      put("MEMORY.md", "- [A](a.md)\n");
      put("a.md", "");
      put("b.md", "");
      put("../../other/MEMORY.md", "- [A](a.md)\n");
      expect(await wrote(path, before)).toBe("");
    });
  });
});
