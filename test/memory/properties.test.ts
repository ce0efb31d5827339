import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyChange } from "../../src/memory/apply.ts";
import { planArchive } from "../../src/memory/archive.ts";
import type { Change } from "../../src/memory/change.ts";
import { INDEX, type MemoryFiles, readMemory, withFiles } from "../../src/memory/directory.ts";
import { planExtract } from "../../src/memory/extract.ts";
import { planMerge, mergeableEntries, repeatedGroups } from "../../src/memory/merge.ts";
import { readDocument, splitLines } from "../../src/memory/document.ts";
import { loadIndex } from "../../src/memory/loaded.ts";
import { outlineOf } from "../../src/memory/outline.ts";
import { reachOf } from "../../src/memory/reach.ts";
import { applyUndo } from "../../src/memory/undo.ts";
import { bytesBelow, folderOf, memoryContents, memoryOf } from "../support/memory-directories.ts";

const now = new Date("2026-11-29T12:00:00");

const OPERATIONS: Record<string, (memory: MemoryFiles) => Change | null> = {
  archive: (memory) => {
    const plan = planArchive(memory, { now, maxLines: 0, triggerUsage: 0.8, thresholdDays: 180 });
    return plan.kind === "archive" ? plan.change : null;
  },
  extract: (memory) => {
    const titles = outlineOf(readDocument(memory.files.get(INDEX) ?? fileOf(memory))).sections.map(
      ({ title }) => title,
    );
    const plan = planExtract(memory, {
      now,
      sections: titles.filter((title) => !/^(topic files|archive index)$/i.test(title)),
    });
    return plan.kind === "extract" ? plan.change : null;
  },
  merge: (memory) => {
    const entries = mergeableEntries(outlineOf(readDocument(fileOf(memory))));
    const plan = planMerge(memory, repeatedGroups(entries), now);
    return plan.kind === "merge" ? plan.change : null;
  },
};

describe.each(Object.entries(OPERATIONS))("memory %s, for any directory", (_, operation) => {
  test("loses no line, strands no file, swallows nothing, and has nothing left to do", () => {
    let changed = 0;
    fc.assert(
      fc.property(memoryContents, (contents) => {
        const before = memoryOf(contents);
        const change = operation(before);
        if (change === null) return;
        changed++;
        const after = applied(before, change);
        expect(lostLines(before, after)).toEqual([]);
        const reached = reachOf(after).reached;
        for (const path of reachOf(before).reached) expect(reached).toContain(path);
        expect(loadIndex(fileOf(after).text).frontMatter?.yaml).toBe(
          loadIndex(fileOf(before).text).frontMatter?.yaml,
        );
        expectSameShape(before, after);
        expect(operation(after)?.summary ?? null).toBeNull();
      }),
      { numRuns: Number(process.env["RUNS"] ?? 50) },
    );
    expect(changed).toBeGreaterThan(8);
  });

  test("undo restores every byte", async () => {
    const state = mkdtempSync(join(tmpdir(), "pmem-state-"));
    await fc.assert(
      fc.asyncProperty(memoryContents, async (contents) => {
        const directory = folderOf(contents);
        const options = { directory, state, now };
        const before = bytesBelow(directory);
        const id = await applyChange(options, () => operation(readMemory(directory)));
        if (id !== null) {
          expect(bytesBelow(directory)).not.toEqual(before);
          expect((await applyUndo(options)).kind).toBe("undo");
        }
        expect(bytesBelow(directory)).toEqual(before);
        rmSync(directory, { recursive: true });
      }),
      { numRuns: 8 },
    );
    rmSync(state, { recursive: true });
  });
});

function applied(memory: MemoryFiles, { files }: Change): MemoryFiles {
  return withFiles(memory, new Map(files.map(({ path, after }) => [path, after])));
}

function fileOf(memory: MemoryFiles) {
  const file = memory.files.get(INDEX);
  if (file === undefined) throw new Error("no index");
  return file;
}

/** Non-blank lines that stood somewhere and stand nowhere now; references are no lines of the person's. */
function lostLines(before: MemoryFiles, after: MemoryFiles): string[] {
  const counts = new Map<string, number>();
  for (const [memory, by] of [
    [before, 1],
    [after, -1],
  ] as const) {
    for (const file of memory.files.values()) {
      for (const line of splitLines(file.text).map((text) => text.replace(/[\r\n]+$/, ""))) {
        counts.set(line, (counts.get(line) ?? 0) + by);
      }
    }
  }
  const isReference = (line: string) => /^- \[Archive\]|^## Archive Index$/.test(line);
  return [...counts]
    .filter(([line, count]) => count > 0 && line.trim() !== "" && !isReference(line))
    .map(([line]) => line);
}

/** BOM, line ends and the final newline of every file that was there. */
function expectSameShape(before: MemoryFiles, after: MemoryFiles): void {
  for (const [path, old] of before.files) {
    const [was, is] = [old.bytes, after.files.get(path)?.bytes ?? new Uint8Array()].map((bytes) =>
      Buffer.from(bytes).toString("latin1"),
    );
    if (was === undefined || is === undefined || is === "") throw new Error(`${path} is gone`);
    const shape = (text: string) => ({
      bom: text.startsWith("\xEF\xBB\xBF"),
      crlf: /\r\n/.test(text),
      bareLf: /(?<!\r)\n/.test(text),
      ended: text.endsWith("\n"),
    });
    if (splitLines(was).length > 1) expect({ path, ...shape(is) }).toEqual({ path, ...shape(was) });
  }
}
