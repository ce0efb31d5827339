import { appendFileSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { applyChange, type ApplyOptions } from "../../src/memory/apply.ts";
import { planArchive } from "../../src/memory/archive.ts";
import type { Change } from "../../src/memory/change.ts";
import { readMemory } from "../../src/memory/directory.ts";
import { readSnapshots } from "../../src/memory/snapshots.ts";
import { memoryStateFolder } from "../../src/memory/state-folder.ts";
import { applyUndo, planUndo } from "../../src/memory/undo.ts";
import { bytesBelow, folderOf } from "../support/memory-directories.ts";

const NOW = new Date("2026-07-06T10:00:00");
const INDEX =
  "# Memory\n\n- [Old](old.md) — what was true for a long time, but is no more (2024-01-01)\n- [New](new.md) — what holds now\n- last\n";

let options: ApplyOptions;
beforeEach(() => {
  const state = mkdtempSync(join(tmpdir(), "pmem-state-"));
  options = {
    directory: folderOf({ "MEMORY.md": INDEX, "old.md": "old\n", "new.md": "new\n" }),
    state,
    now: NOW,
  };
});

function archiveChange(): Change | null {
  const plan = planArchive(readMemory(options.directory), {
    now: NOW,
    maxLines: 0,
    triggerUsage: 0.8,
    thresholdDays: 180,
  });
  return plan.kind === "archive" ? plan.change : null;
}

function indexChange(after: string): Change {
  const before = readFileSync(join(options.directory, "MEMORY.md"));
  return {
    command: "test",
    summary: "a test",
    files: [{ path: "MEMORY.md", before: new Uint8Array(before), after: new TextEncoder().encode(after) }],
    renewed: [],
  };
}

/** In a process of its own. */
async function archiveAndDie(at: number): Promise<void> {
  const program = join(import.meta.dirname, "..", "support", "archive-and-die.ts");
  const child = Bun.spawn([process.execPath, program, options.directory, options.state, String(at)]);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}

const read = (path: string) => readFileSync(join(options.directory, path), "utf8");

describe("undo", () => {
  test("restores every byte and takes away what was made", async () => {
    const before = bytesBelow(options.directory);
    await applyChange(options, archiveChange);
    expect(Object.keys(bytesBelow(options.directory))).toContain("archive.md");
    await applyUndo(options);
    expect(bytesBelow(options.directory)).toEqual(before);
    expect(planUndo(options)).toEqual({ kind: "nothing" });
  });

  test("goes back one change at a time", async () => {
    for (const text of ["one\n", "two\n", "three\n"]) await applyChange(options, () => indexChange(text));
    const seen: string[] = [];
    while ((await applyUndo(options)).kind === "undo") seen.push(read("MEMORY.md"));
    expect(seen).toEqual(["two\n", "one\n", INDEX]);
  });

  test("keeps what somebody else wrote since in other lines", async () => {
    await applyChange(options, archiveChange);
    const moved = read("MEMORY.md");
    writeFileSync(
      join(options.directory, "MEMORY.md"),
      moved.replace("- last\n", "- last\n- written by the agent since\n"),
    );
    const plan = await applyUndo(options);
    expect(plan).toMatchObject({ kind: "undo", mergedWithLater: ["MEMORY.md"] });
    expect(read("MEMORY.md")).toBe(INDEX.replace("- last\n", "- last\n- written by the agent since\n"));
  });

  test("refuses where the same lines were changed since, and writes nothing", async () => {
    await applyChange(options, archiveChange);
    writeFileSync(join(options.directory, "MEMORY.md"), "rewritten as a whole\n");
    const before = bytesBelow(options.directory);
    await expect(applyUndo(options)).rejects.toMatchObject({ code: "undo-conflict", exit: 4 });
    expect(bytesBelow(options.directory)).toEqual(before);
  });

  test("the last 20 changes are kept, outside the directory", async () => {
    for (let at = 0; at < 23; at++) await applyChange(options, () => indexChange(`change ${at}\n`));
    const folder = memoryStateFolder(options.state, options.directory);
    expect(readSnapshots(folder)).toHaveLength(20);
    expect(readdirSync(options.directory).toSorted()).toEqual(["MEMORY.md", "new.md", "old.md"]);
    for (let at = 0; at < 20; at++) await applyUndo(options);
    expect(read("MEMORY.md")).toBe("change 2\n");
  });
});

describe("a change", () => {
  test("is not written over what somebody wrote while it was worked out", async () => {
    const late = () => {
      const change = archiveChange();
      appendFileSync(join(options.directory, "MEMORY.md"), "- meanwhile\n");
      return change;
    };
    await expect(applyChange(options, late)).rejects.toMatchObject({ code: "memory-changed", exit: 4 });
    expect(read("MEMORY.md")).toBe(`${INDEX}- meanwhile\n`);
    expect(readdirSync(options.directory)).not.toContain("archive.md");
  });

  test("is not written over what somebody writes between two of its files", async () => {
    const write: ApplyOptions["write"] = (path, bytes) => {
      writeFileSync(path, bytes);
      appendFileSync(join(options.directory, "MEMORY.md"), "- meanwhile\n");
    };
    await expect(applyChange({ ...options, write }, archiveChange)).rejects.toMatchObject({
      code: "memory-changed",
    });
    expect(read("MEMORY.md")).toBe(`${INDEX}- meanwhile\n`);
    expect(readdirSync(options.directory)).not.toContain("archive.md");
    expect(planUndo(options)).toEqual({ kind: "nothing" });
  });

  test("keeps the mode of what it replaces, and gives a new file the index's", async () => {
    const { chmodSync, statSync } = await import("node:fs");
    chmodSync(join(options.directory, "MEMORY.md"), 0o640);
    await applyChange(options, archiveChange);
    const modes = ["MEMORY.md", "archive.md"].map(
      (path) => statSync(join(options.directory, path)).mode & 0o777,
    );
    expect(modes).toEqual([0o640, 0o640]);
  });
});

describe("kill -9", () => {
  test.each([
    ["before the first file", 0],
    ["between the two", 1],
    ["behind the last, before it was noted as done", 2],
  ])("%s: nothing is lost, undo restores every byte", async (_, at) => {
    const before = bytesBelow(options.directory);
    await archiveAndDie(at);
    const everything = Object.values(bytesBelow(options.directory)).join("");
    for (const line of Buffer.from(INDEX).toString("latin1").split("\n")) expect(everything).toContain(line);
    if (at === 1) {
      await expect(applyChange(options, archiveChange)).rejects.toMatchObject({
        code: "memory-unfinished",
        exit: 4,
      });
    }
    await applyUndo(options);
    expect(bytesBelow(options.directory)).toEqual(before);
    expect(await applyChange(options, archiveChange)).not.toBeNull();
  });

  test("between the two, then a write of the agent's: undo takes our part back alone", async () => {
    await archiveAndDie(1);
    writeFileSync(join(options.directory, "MEMORY.md"), `${INDEX}- written by the agent since\n`);
    await applyUndo(options);
    expect(read("MEMORY.md")).toBe(`${INDEX}- written by the agent since\n`);
    expect(readdirSync(options.directory)).not.toContain("archive.md");
  });

  test("an undo that was itself interrupted can be run again", async () => {
    const before = bytesBelow(options.directory);
    await applyChange(options, archiveChange);
    const write: ApplyOptions["write"] = () => {
      throw new Error("stopped");
    };
    await expect(applyUndo({ ...options, write })).rejects.toThrow("stopped");
    await applyUndo(options);
    expect(bytesBelow(options.directory)).toEqual(before);
  });
});
