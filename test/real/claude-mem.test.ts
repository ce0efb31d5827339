import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { realPackage } from "../support/real-packages.ts";
import type { BuildJson } from "../support/workshop.ts";

/** A database that claude-mem's own store class wrote: 1,000 rows in three projects. */
const folder = mkdtempSync(join(tmpdir(), "pmem-real-mem-"));
const source = join(folder, "claude-mem.db");
const store = join(folder, "digests.db");
const env = { CLAUDE_MEM_DB: source, DIGEST_DB: store };

const WRITER = `
  const { SessionStore } = await import(process.argv[1] + "/plugin/sqlite/SessionStore.js");
  const store = new SessionStore(process.argv[2]);
  const projects = ["atlas", "atlas", "beacon", "cedar"];
  const concepts = ["decision", "gotcha", "how-it-works", "what-changed"];
  const sessions = projects.map((project, n) => {
    store.updateMemorySessionId(store.createSDKSession("content-" + n, project, "hello"), "memory-" + n);
    return "memory-" + n;
  });
  for (let n = 0; n < 1000; n++) {
    const k = n % projects.length;
    store.storeObservation(sessions[k], projects[k], {
      type: "discovery", title: "Finding " + n, subtitle: "About part " + (n % 40),
      facts: ["part_" + n + " listens on port " + (3000 + n)], narrative: "Part " + n + " was looked at and works.",
      concepts: [concepts[(n >> 2) % 4]], files_read: [], files_modified: ["src/part" + n + ".ts"],
    }, 1 + (n >> 5), 100);
  }
  store.close?.();
`;

beforeAll(async () => {
  const child = Bun.spawn([process.execPath, "-e", WRITER, await realPackage("claude-mem"), source], {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    stdout: "ignore",
    stderr: "pipe",
  });
  const trouble = await new Response(child.stderr).text();
  expect([await child.exited, trouble]).toEqual([0, expect.any(String)]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const build = async () =>
  JSON.parse((await runCli(["build", "--json"], { home: folder, env })).stdout) as BuildJson;

test("every row is accounted for, the source is untouched, and a second build writes nothing", async () => {
  const before = readFileSync(source);
  const { totals, projects, failures } = await build();
  expect(failures).toEqual([]);
  expect(totals).toMatchObject({ observations: 1000, skipped: 0 });
  expect(totals.folded + totals.duplicates).toBe(1000);
  expect(projects.map(({ project }) => project)).toEqual(["atlas", "beacon", "cedar"]);
  const written = readFileSync(store);
  expect((await build()).totals.observations).toBe(0);
  expect(readFileSync(store).equals(written)).toBe(true);
  expect(readFileSync(source).equals(before)).toBe(true);
});

test("its blocks stay within the budget and name observations", async () => {
  const { stdout } = await runCli(["read", "atlas", "--json"], { home: folder, env });
  const { block, units } = JSON.parse(stdout) as { block: string; units: number };
  expect(units).toBe(block.length);
  expect(units).toBeLessThanOrEqual(9500);
  expect(block).toMatch(/#\d+/);
});
