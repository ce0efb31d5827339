import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../src/knowledge/article.ts";
import { type FileChange, commitFiles, recoverBase } from "../../src/knowledge/commit.ts";
import { readQueue } from "../../src/knowledge/queue.ts";
import { factsIn, queueCapture } from "../support/captures.ts";
import { temporaryFolder } from "../support/cli.ts";
import { killCompiles, killFlushes } from "../support/kill-scenarios.ts";
import { knowledgeChild } from "../support/killing.ts";
import { snapshot } from "../support/small-base.ts";

test("a flush killed anywhere loses and doubles nothing", async () => {
  expect(await killFlushes(3)).toBeGreaterThan(0);
});

test("a compile killed anywhere leaves no half-written base", async () => {
  expect(await killCompiles(3)).toBeGreaterThan(0);
});

test("20 sessions that end at once: each has its entry, once", async () => {
  using folder = temporaryFolder();
  const place = { state: join(folder.path, "state"), base: join(folder.path, "base") };
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      queueCapture(place.state, { base: place.base, session: `s${n}` });
      expect((await knowledgeChild("flush", place)).code).toBe(0);
    }),
  );
  expect(readQueue(place.state)).toEqual([]);
  const facts = factsIn(place.base);
  expect(facts.size).toBe(60);
  expect(new Set(facts.values())).toEqual(new Set([1]));
});

const changes = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom("concepts/a.md", "concepts/b.md", "index.md", "qa/new/c.md", ".compiled.json"),
    content: fc.string(),
  }),
  { selector: ({ path }) => path, minLength: 1 },
);

test("whatever of the staging a kill leaves, the base is as before or as after", () => {
  fc.assert(
    fc.property(changes, fc.nat(), fc.boolean(), (list, moved, final) => {
      using folder = temporaryFolder();
      const knowledge = folder.path;
      mkdirSync(join(knowledge, "concepts"));
      writeFileSync(join(knowledge, "concepts/a.md"), "old");
      const before = snapshot(knowledge);
      const after = { ...before, ...Object.fromEntries(list.map(({ path, content }) => [path, content])) };
      // as commitFiles leaves it when it is killed after so many moves, or before the manifest
      mkdirSync(join(knowledge, ".staging"));
      const done = final ? moved % (list.length + 1) : 0;
      for (const [n, { path, content }] of list.entries()) {
        const target = n < done ? join(knowledge, path) : join(knowledge, ".staging", String(n));
        mkdirSync(join(target, ".."), { recursive: true });
        writeFileSync(target, content);
      }
      writeFileSync(
        join(knowledge, ".staging", final ? "commit.json" : "commit.json.new"),
        JSON.stringify(list.map(({ path }) => path)),
      );
      expect(recoverBase(knowledge)).toBe(final ? "finished" : "taken-back");
      expect(snapshot(knowledge)).toEqual(final ? after : before);
      expect(recoverBase(knowledge)).toBe("clean");
    }),
    { numRuns: 40 },
  );
});

test("a file that changed meanwhile, came or went is a conflict, and nothing is written", () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "index.md"), "now");
  const before = snapshot(folder.path);
  const change = (more: Partial<FileChange>): FileChange => ({
    path: "index.md",
    content: "new",
    before: sha256("now"),
    ...more,
  });
  const other = { path: "other.md", content: "x", before: null };
  expect(commitFiles(folder.path, [other, change({ before: sha256("earlier") })])).toMatchObject({
    kind: "conflict",
    path: "index.md",
  });
  expect(commitFiles(folder.path, [other, change({ before: null })])).toMatchObject({ kind: "conflict" });
  expect(commitFiles(folder.path, [other, change({ path: "gone.md" })])).toMatchObject({
    kind: "conflict",
    path: "gone.md",
  });
  expect(snapshot(folder.path)).toEqual(before);
  expect(commitFiles(folder.path, [other, change({})])).toEqual({ kind: "committed" });
  expect(snapshot(folder.path)).toEqual({ "index.md": "new", "other.md": "x" });
});

test("a link that leads out of the base is not written through", async () => {
  const { symlinkSync } = await import("node:fs");
  using folder = temporaryFolder();
  const knowledge = join(folder.path, "knowledge");
  mkdirSync(join(folder.path, "elsewhere"), { recursive: true });
  mkdirSync(knowledge);
  symlinkSync(join(folder.path, "elsewhere"), join(knowledge, "concepts"));
  expect(commitFiles(knowledge, [{ path: "concepts/a.md", content: "x", before: null }])).toMatchObject({
    kind: "conflict",
  });
  expect(snapshot(join(folder.path, "elsewhere"))).toEqual({});
});
