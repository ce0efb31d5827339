import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeMemoryDirectory } from "../../seed/memory-directory.ts";
import { memoryPlace } from "../../src/claude/memory-directories.ts";
import { type CliRun, runCli, temporaryFolder } from "../support/cli.ts";
import { bytesBelow } from "../support/memory-directories.ts";

interface Place {
  home: string;
  memory: string;
  memoryCommand: (...args: string[]) => Promise<CliRun>;
  json: (...args: string[]) => Promise<{ code: number; value: Record<string, unknown> }>;
}

async function withMemory(
  files: Record<string, string>,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const home = folder.path;
  const project = join(home, "project");
  mkdirSync(project);
  const memory = memoryPlace(project, { HOME: home }).directory;
  if (Object.keys(files).length > 0) writeMemoryDirectory(memory, new Map(Object.entries(files)));
  const memoryCommand = (...args: string[]) => runCli(["memory", ...args], { home, cwd: project });
  await run({
    home,
    memory,
    memoryCommand,
    json: async (...args) => {
      const { code, stdout } = await memoryCommand(...args, "--json");
      return { code, value: JSON.parse(stdout) };
    },
  });
}

const old = (count: number) =>
  Array.from({ length: count }, (_, at) => `- [Old ${at}](t.md) — true in its time (2024-01-01)`).join("\n");
const TOPIC = "---\ntype: project\n---\n";

describe("memory audit", () => {
  test("one object with the agreed fields; exit 1 on an error", async () => {
    await withMemory(
      { "MEMORY.md": `${old(3)}\n- [Gone](gone.md)\n`, "t.md": TOPIC, "lone.md": TOPIC },
      async ({ json, memory }) => {
        const { code, value } = await json("audit");
        expect(code).toBe(1);
        expect(value).toMatchObject({
          schemaVersion: 1,
          directory: memory,
          place: { scope: "default" },
          index: {
            lines: 4,
            loadedLines: 4,
            usage: 0.02,
            binds: "neither",
            firstLineDropped: null,
            droppedLines: [],
            activeLines: 4,
          },
          topics: { files: 2, linked: 1, orphans: ["lone.md"], dangling: ["gone.md"], degraded: [] },
          findings: [
            { level: "error", code: "dangling", line: 4 },
            { level: "error", code: "orphan", file: "lone.md" },
          ],
        });
      },
    );
  });

  test("a healthy memory: exit 0, nothing to do", async () => {
    await withMemory(
      { "MEMORY.md": "# Memory\n\n- [T](t.md) — text\n", "t.md": TOPIC },
      async ({ memoryCommand }) => {
        expect(await memoryCommand("audit")).toMatchObject({
          code: 0,
          stdout: expect.stringContaining("Nothing to do."),
        });
      },
    );
  });

  test("no directory: exit 3 with the way out", async () => {
    await withMemory({}, async ({ json }) => {
      expect(await json("audit")).toMatchObject({ code: 3, value: { error: { code: "memory-missing" } } });
    });
  });

  test("which settings named the directory, and which did not win, is said", async () => {
    await withMemory({}, async ({ home, memoryCommand }) => {
      const settings = (path: string, directory: string) => {
        mkdirSync(join(home, path, ".claude"), { recursive: true });
        writeFileSync(
          join(home, path, ".claude/settings.json"),
          JSON.stringify({ autoMemoryDirectory: directory }),
        );
      };
      settings("", "~/by-user");
      settings("project", "~/by-project");
      mkdirSync(join(home, "by-project"));
      const { stdout } = await memoryCommand("audit");
      expect(stdout).toContain(
        "~/by-project (autoMemoryDirectory in project settings, ~/project/.claude/settings.json)",
      );
      expect(stdout).toContain(
        "~/.claude/settings.json names ~/by-user: not used, project settings come first",
      );
    });
  });

  test("--deep without a model is a usage error", async () => {
    await withMemory({ "MEMORY.md": "- a\n- b\n" }, async ({ json }) => {
      expect(await json("audit", "--deep")).toMatchObject({
        code: 2,
        value: { error: { code: "deep-needs-model" } },
      });
    });
  });
});

describe("memory archive, merge, extract", () => {
  const CASES: [string, string[], string][] = [
    ["archive", ["archive"], `${old(60)}\n- [New](n.md) — holds\n`],
    [
      "merge",
      ["merge"],
      "- [A](t.md) — the cache must be cleared by hand\n- [B](n.md) — the cache must be cleared by hand\n- c\n",
    ],
    [
      "extract",
      ["extract"],
      `# P\n\n## Build\n${Array.from({ length: 16 }, (_, at) => `- Fact ${at * 3} holds`).join("\n")}\n`,
    ],
  ];
  test.each(CASES)(
    "%s: a preview writes nothing, --apply writes, undo takes it back",
    async (_, command, index) => {
      await withMemory(
        { "MEMORY.md": index, "t.md": TOPIC, "n.md": TOPIC },
        async ({ memory, json, memoryCommand }) => {
          const before = bytesBelow(memory);
          const preview = await memoryCommand(...command);
          expect(preview).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was written.") });
          expect(preview.stdout).toMatch(/^@@ /m);
          expect(bytesBelow(memory)).toEqual(before);

          expect(await json(...command, "--apply")).toMatchObject({
            code: 0,
            value: { applied: true, change: "00000001" },
          });
          expect(bytesBelow(memory)).not.toEqual(before);
          const again = bytesBelow(memory);
          expect(await json(...command, "--apply")).toMatchObject({ code: 0, value: { applied: false } });
          expect(bytesBelow(memory)).toEqual(again);

          expect(await json("undo")).toMatchObject({
            code: 0,
            value: { applied: false, undone: { command: command[0] } },
          });
          expect(bytesBelow(memory)).toEqual(again);
          expect(await json("undo", "--apply")).toMatchObject({ code: 0, value: { applied: true, left: 0 } });
          expect(bytesBelow(memory)).toEqual(before);
        },
      );
    },
  );

  test("archive says why it does nothing", async () => {
    await withMemory({ "MEMORY.md": old(10) }, async ({ json }) => {
      expect(await json("archive")).toMatchObject({
        code: 0,
        value: { moved: [], reason: "under the trigger" },
      });
      expect(await json("archive", "--max-lines", "5", "--days", "100000")).toMatchObject({
        value: { reason: "nothing old enough" },
      });
      expect(await json("archive", "--max-lines", "x")).toMatchObject({ code: 2 });
    });
  });
});

test("memory init makes a missing index, and no second one", async () => {
  await withMemory({}, async ({ memory, json }) => {
    expect(await json("init")).toMatchObject({ code: 0, value: { applied: false, exists: false } });
    expect(existsSync(memory)).toBe(false);
    expect(await json("init", "--apply")).toMatchObject({ code: 0, value: { applied: true } });
    expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).toBe("# Project Memory\n\n## Topic Files\n");
    expect(await json("init", "--apply")).toMatchObject({ code: 0, value: { applied: false, exists: true } });
  });
});

describe("memory gate", () => {
  const INDEX = "- [Build](build.md) — notes\n- [CI](ci.md) — notes\n";
  const files = { "MEMORY.md": INDEX, "build.md": TOPIC, "ci.md": TOPIC, "new.md": TOPIC };

  test("a check before any snapshot says what is missing", async () => {
    await withMemory(files, async ({ json }) => {
      expect(await json("gate", "check")).toMatchObject({
        code: 3,
        value: { error: { code: "no-gate-snapshot" } },
      });
    });
  });

  test("refuses until it is said what became of a file; decisions are kept", async () => {
    await withMemory(files, async ({ memory, json }) => {
      expect(await json("gate", "snapshot")).toMatchObject({
        code: 0,
        value: { reached: ["build.md", "ci.md"] },
      });
      expect(await json("gate", "check")).toMatchObject({ code: 0, value: { passed: true } });
      writeFileSync(join(memory, "MEMORY.md"), "- [Build](build.md) — notes\n- [New](new.md)\n");
      expect(await json("gate", "check")).toMatchObject({
        code: 4,
        value: { lost: ["ci.md"], gained: ["new.md"] },
      });
      expect(await json("gate", "check", "--decide", "ci.md=absorbed:Deploy")).toMatchObject({
        code: 2,
        value: { error: { code: "no-such-entry" } },
      });
      expect(await json("gate", "check", "--decide", "ci.md")).toMatchObject({
        code: 2,
        value: { error: { code: "bad-decision" } },
      });
      expect(await json("gate", "check", "--decide", "ci.md=absorbed:Build")).toMatchObject({
        code: 0,
        value: { decided: [{ path: "ci.md" }] },
      });
      expect(await json("gate", "check")).toMatchObject({ code: 0 });
      expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).not.toContain("absorbed");
      await json("gate", "check", "--decide", "ci.md=absorbed:Build", "--apply");
      expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).toContain(
        "- [Build](build.md) — notes — absorbed ci.md\n",
      );
    });
  });
});
