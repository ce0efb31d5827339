import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/cli.ts";
import { realPackage } from "../support/real-packages.ts";

const PORT = "38471";

test("CLAUDE_MEM_CONTEXT_OBSERVATIONS 0 takes claude-mem's list out of sessions, keeps its summary, and is undone by its old value", async () => {
  const script = join(await realPackage("claude-mem"), "plugin/scripts/worker-service.cjs");
  using folder = temporaryFolder();
  const home = folder.path;
  const project = join(home, "widgets-api");
  for (const path of [project, join(home, ".claude-mem")]) mkdirSync(path);
  await fillDatabase(join(home, ".claude-mem/claude-mem.db"));
  const claudeMem = (words: readonly string[], input: object = {}) => {
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", CLAUDE_MEM_WORKER_PORT: PORT };
    const stdin = Buffer.from(JSON.stringify(input));
    return Bun.spawnSync([process.execPath, script, ...words], {
      cwd: project,
      env,
      stdin,
    }).stdout.toString();
  };
  const context = (observations: string | null): string => {
    const settings = observations === null ? {} : { CLAUDE_MEM_CONTEXT_OBSERVATIONS: observations };
    writeFileSync(join(home, ".claude-mem/settings.json"), JSON.stringify(settings));
    const input = { session_id: "s", cwd: project, hook_event_name: "SessionStart", source: "startup" };
    return JSON.parse(claudeMem(["hook", "claude-code", "context"], input)).hookSpecificOutput
      .additionalContext;
  };
  try {
    claudeMem(["start"]);
    const usual = context(null);
    expect(usual).toContain("Title 59");
    expect(usual).toContain("what was learned");
    const lowered = context("0");
    expect(lowered).not.toContain("Title");
    expect(lowered).toContain("what was learned");
    expect(lowered.length).toBeLessThan(usual.length / 2);
    expect(context("50")).toContain("Title 59");
  } finally {
    claudeMem(["stop"]);
  }
});

/** By claude-mem's own store. */
async function fillDatabase(path: string): Promise<void> {
  const { SessionStore } = await import(
    join(await realPackage("claude-mem"), "plugin/sqlite/SessionStore.js")
  );
  const store = new SessionStore(path);
  store.updateMemorySessionId(
    store.createSDKSession("content-session", "widgets-api", "a prompt"),
    "memory-session",
  );
  for (let at = 0; at < 60; at++) {
    const observation = {
      type: "discovery",
      title: `Title ${at}`,
      subtitle: "",
      facts: [],
      narrative: "n",
      concepts: ["gotcha"],
      files_read: [],
      files_modified: [],
    };
    store.storeObservation(
      "memory-session",
      "widgets-api",
      observation,
      1,
      100,
      Date.now() - (60 - at) * 60_000,
    );
  }
  const summary = {
    request: "r",
    investigated: "i",
    learned: "what was learned",
    completed: "c",
    next_steps: "n",
    notes: "",
  };
  store.storeSummary("memory-session", "widgets-api", summary, 1);
  store.close?.();
}
