import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MEMORY_SHAPES, makeMemoryDirectory, writeMemoryDirectory } from "../seed/memory-directory.ts";
import { memoryPlace } from "../src/claude/memory-directories.ts";
import { auditMemory } from "../src/memory/audit.ts";
import { readMemory } from "../src/memory/directory.ts";

/**
 * What an audit takes beside reading the same bytes alone, and what the prompt hook takes beside a bare Bun.
 * Arguments: topic files (2,000), runs (5). The least of the runs counts.
 */
const topics = Number(process.argv[2] ?? 2000);
const runs = Number(process.argv[3] ?? 5);
const folder = mkdtempSync(join(tmpdir(), "pmem-bench-memory-"));

try {
  console.log(`audit of ${topics} topic files, beside reading their bytes`);
  for (const shape of MEMORY_SHAPES) benchAudit(shape);
  console.log("\nprompt hook, whole process, beside bun with an empty file");
  benchHook();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function benchAudit(shape: (typeof MEMORY_SHAPES)[number]): void {
  const directory = join(folder, shape);
  writeMemoryDirectory(directory, makeMemoryDirectory({ shape, topics, seed: 1, today: new Date() }));
  const read = least(() => {
    for (const name of readdirSync(directory)) readFileSync(join(directory, name));
  });
  const context = { instructions: [], project: null, siblings: [], env: {} };
  const audit = least(() => auditMemory(readMemory(directory), context));
  const index = readFileSync(join(directory, "MEMORY.md")).length;
  console.log(
    `  ${shape.padEnd(9)} ${read.toFixed(1).padStart(7)} ms ${audit.toFixed(1).padStart(8)} ms ${(audit / read).toFixed(1).padStart(6)} ×   index ${index.toLocaleString("en-US")} bytes`,
  );
}

function benchHook(): void {
  const project = join(folder, "project");
  const empty = join(folder, "empty.ts");
  mkdirSync(project);
  writeFileSync(empty, "");
  const { directory } = memoryPlace(project, { HOME: folder });
  const topicLines = Array.from({ length: 40 }, (_, at) => `- [Topic ${at}](topic-${at}.md) — what it says`);
  writeMemoryDirectory(directory, new Map([["MEMORY.md", `${topicLines.join("\n")}\n`]]));
  const event = Buffer.from(
    JSON.stringify({ session_id: "s", cwd: project, hook_event_name: "UserPromptSubmit", prompt: "x" }),
  );
  const start = (...words: string[]) =>
    Bun.spawnSync([process.execPath, ...words], {
      cwd: project,
      stdin: event,
      env: { HOME: folder, PATH: process.env["PATH"] ?? "" },
    });
  const contenders: [string, string[]][] = [
    ["bun, an empty file", [empty]],
    ["user-prompt-submit", [join(import.meta.dirname, "../src/hook.ts"), "user-prompt-submit"]],
    [
      "user-prompt-submit, bundled",
      [join(import.meta.dirname, "../plugin/dist/hook.js"), "user-prompt-submit"],
    ],
  ];
  const times = contenders.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < runs * 4; run++) {
    for (const [at, [, words]] of contenders.entries()) {
      const begin = performance.now();
      start(...words);
      times[at] = Math.min(times[at] ?? 0, performance.now() - begin);
    }
  }
  const [bare = 1] = times;
  for (const [at, [name]] of contenders.entries()) {
    const time = times[at] ?? 0;
    console.log(
      `  ${name.padEnd(28)} ${time.toFixed(1).padStart(7)} ms ${(time / bare).toFixed(2).padStart(6)} ×`,
    );
  }
}

function least(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const begin = performance.now();
    work();
    best = Math.min(best, performance.now() - begin);
  }
  return best;
}
