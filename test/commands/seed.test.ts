import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run as cluster } from "../../src/commands/cluster.ts";
import { run } from "../../src/commands/seed.ts";
import { Exit } from "../../src/errors.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { runCommand } from "../support/command.ts";

let folder: ReturnType<typeof temporaryFolder>;
let temporary: string;
beforeEach(() => {
  folder = temporaryFolder();
  temporary = join(folder.path, "tmp");
  mkdirSync(temporary);
});
afterEach(() => folder[Symbol.dispose]());

const seed = (args: readonly string[], env: Record<string, string> = {}) =>
  runCli(["seed", ...args], { home: folder.path, env: { TMPDIR: temporary, ...env } });

const make = (args: readonly string[], options: Record<string, unknown> = { only: true }) =>
  runCommand(run, { args, options, env: { HOME: folder.path }, cwd: folder.path, json: true });

describe("the demo", () => {
  test("tells the whole story and leaves nothing behind", async () => {
    const { code, stdout, stderr } = await seed([]);
    expect({ code, stderr }).toEqual({ code: Exit.done, stderr: "" });
    for (const part of [
      "raw tokens",
      "1 secret masked",
      '<persisted-memory project="widgets-api">',
      "raw history",
      "Nothing new",
      "TOTAL",
      "Next:",
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toContain(temporary);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(folder.path).filter((name) => name !== ".bun")).toEqual(["tmp"]); // Bun's own cache
  });

  test("takes nothing from what the person has set up; what its notes took back is not in the digest", async () => {
    const own = {
      MERGE_MODEL: "haiku",
      CLAUDE_MEM_DB: "/nowhere.db",
      CONCEPTS: "x",
      EXCLUDED_PROJECTS: "*",
      BLOCK_BUDGET: "500",
    };
    const { steps } = JSON.parse((await seed(["--json"], own)).stdout);
    const read = steps.find(({ command }: { command: string }) => command === "read widgets-api").object;
    expect(read.units).toBeGreaterThan(9000);
    const decisions: string[] = read.cells
      .find(({ type }: { type: string }) => type === "decision")
      .items.map(({ text }: { text: string }) => text);
    expect(decisions.join("\n")).toMatch(/port 8080/);
    expect(decisions.join("\n")).not.toMatch(
      /listens on port 3000|validated with joi$|Access tokens live 60|run with jest|retried 3 times/m,
    );
  });

  test("keeps no file that it was not asked to make", async () => {
    await expect(make(["mine.db"], {})).rejects.toMatchObject({
      exit: Exit.usage,
      hint: expect.stringContaining("--only mine.db"),
    });
  });
});

describe("--only", () => {
  test.each([
    ["./example.db", [], "example.db"],
    ["the named file", ["mine.db"], "mine.db"],
  ])("makes %s, on which the other commands work", async (_, args, file) => {
    const path = join(folder.path, file);
    const { example, rows } = JSON.parse((await make(args)).stdout);
    expect(example).toBe(path);
    const shape = await runCommand(cluster, { env: { HOME: folder.path, CLAUDE_MEM_DB: path }, json: true });
    expect(JSON.parse(shape.stdout).rows).toBe(rows);
  });

  test("never writes over a file of somebody else's", async () => {
    writeFileSync(join(folder.path, "example.db"), "mine");
    await expect(make([])).rejects.toMatchObject({ code: "not-an-example", exit: Exit.usage });
    expect(await Bun.file(join(folder.path, "example.db")).text()).toBe("mine");
  });
});
