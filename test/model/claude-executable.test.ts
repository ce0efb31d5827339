import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findClaude } from "../../src/model/claude-executable.ts";
import { temporaryFolder } from "../support/cli.ts";

function program(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

test("the PATH wins over the usual places", () => {
  using folder = temporaryFolder();
  program(join(folder.path, ".local/bin/claude"));
  const onPath = program(join(folder.path, "bin/claude"));
  expect(findClaude({ HOME: folder.path, PATH: join(folder.path, "bin") })).toBe(onPath);
});

test.each([
  ".local/bin/claude",
  ".claude/local/claude",
  ".npm-global/bin/claude",
  ".volta/bin/claude",
  ".bun/bin/claude",
])("found in ~/%s", (place) => {
  using folder = temporaryFolder();
  const path = program(join(folder.path, place));
  expect(findClaude({ HOME: folder.path, PATH: "/nonexistent" })).toBe(path);
});

test("found below npm's own prefix", () => {
  using folder = temporaryFolder();
  const path = program(join(folder.path, "prefix/bin/claude"));
  const env = { HOME: folder.path, PATH: "/nonexistent", NPM_CONFIG_PREFIX: join(folder.path, "prefix") };
  expect(findClaude(env)).toBe(path);
});

test.each([
  ["on the PATH", "bin/claude.exe"],
  ["behind npm's shim on the PATH", "bin/node_modules/@anthropic-ai/claude-code/bin/claude.exe"],
  ["where the installer puts it", ".local/bin/claude.exe"],
  ["in npm's own folder", "roaming/npm/node_modules/@anthropic-ai/claude-code/bin/claude.exe"],
])("on Windows the .exe %s", (_, place) => {
  using folder = temporaryFolder();
  program(join(folder.path, "bin/claude.cmd"));
  const path = program(join(folder.path, place));
  const env = {
    USERPROFILE: folder.path,
    PATH: join(folder.path, "bin"),
    APPDATA: join(folder.path, "roaming"),
  };
  expect(findClaude(env, "win32")).toBe(path);
});

test("nowhere", () => {
  using folder = temporaryFolder();
  // two places are fixed and may exist on a developer's machine
  const found = findClaude({ HOME: folder.path, PATH: folder.path });
  expect([null, "/usr/local/bin/claude", "/opt/homebrew/bin/claude"]).toContain(found);
  expect(findClaude({ USERPROFILE: folder.path, PATH: folder.path }, "win32")).toBeNull();
});
