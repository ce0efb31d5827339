import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateSource } from "../../src/source/location.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "source-location-"));
  mkdirSync(join(home, ".claude-mem"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function settings(content: unknown, folder = join(home, ".claude-mem")): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "settings.json"),
    typeof content === "string" ? content : JSON.stringify(content),
  );
}

describe("the database", () => {
  it("is the configured one before all others", () => {
    const location = locateSource("/backup/some.db", { HOME: home, CLAUDE_MEM_DATA_DIR: "/elsewhere" });
    expect(location).toMatchObject({ path: "/backup/some.db", why: "CLAUDE_MEM_DB" });
  });

  it("is in the environment's folder before the settings' one", () => {
    settings({ CLAUDE_MEM_DATA_DIR: "/from-settings" });
    const location = locateSource(undefined, { HOME: home, CLAUDE_MEM_DATA_DIR: "~/mem" });
    expect(location.path).toBe(join(home, "mem", "claude-mem.db"));
    expect(location.why).toBe("CLAUDE_MEM_DATA_DIR in the environment");
  });

  it.each([
    ["flat", { CLAUDE_MEM_DATA_DIR: "/from-settings" }],
    ["as older files have it", { env: { CLAUDE_MEM_DATA_DIR: "/from-settings" } }],
    ["with a byte order mark", `\uFEFF${JSON.stringify({ CLAUDE_MEM_DATA_DIR: "/from-settings" })}`],
  ])("is in the settings' folder, %s", (_, content) => {
    settings(content);
    const location = locateSource(undefined, { HOME: home });
    expect(location.path).toBe("/from-settings/claude-mem.db");
    expect(location.why).toContain(join(home, ".claude-mem", "settings.json"));
  });

  it.each([
    ["no settings", undefined],
    ["broken settings", "{"],
    ["settings of another kind", "[1]"],
    ["an empty folder", { CLAUDE_MEM_DATA_DIR: "" }],
  ])("is in the default folder with %s", (_, content) => {
    if (content !== undefined) settings(content);
    const location = locateSource(undefined, { HOME: home });
    expect(location.path).toBe(join(home, ".claude-mem", "claude-mem.db"));
    expect(location.why).toBe("claude-mem's default folder");
  });
});

describe("excluded folders", () => {
  it.each<[string, unknown, string[]]>([
    ["a text with commas", { CLAUDE_MEM_EXCLUDED_PROJECTS: " ~/a/*, b ,," }, ["~/a/*", "b"]],
    ["a list", { CLAUDE_MEM_EXCLUDED_PROJECTS: ["a", "b"] }, ["a", "b"]],
    ["nested", { env: { CLAUDE_MEM_EXCLUDED_PROJECTS: "a" } }, ["a"]],
    ["none", { CLAUDE_MEM_EXCLUDED_PROJECTS: "" }, []],
    ["nonsense", { CLAUDE_MEM_EXCLUDED_PROJECTS: 5 }, []],
  ])("come from the settings: %s", (_, content, globs) => {
    settings(content);
    expect(locateSource(undefined, { HOME: home }).settings.excludedFolders).toEqual(globs);
  });

  it("come from the environment first", () => {
    settings({ CLAUDE_MEM_EXCLUDED_PROJECTS: "a" });
    const location = locateSource(undefined, { HOME: home, CLAUDE_MEM_EXCLUDED_PROJECTS: "b" });
    expect(location.settings.excludedFolders).toEqual(["b"]);
  });

  it("come from the folder that claude-mem uses, whatever database is configured", () => {
    settings({ CLAUDE_MEM_DATA_DIR: join(home, "moved") });
    settings({ CLAUDE_MEM_EXCLUDED_PROJECTS: "moved" }, join(home, "moved"));
    expect(locateSource("/some.db", { HOME: home }).settings).toEqual({
      path: join(home, "moved", "settings.json"),
      excludedFolders: ["moved"],
      problem: null,
    });
  });

  it("are not silently none when the settings are broken", () => {
    settings("{ not json");
    expect(locateSource(undefined, { HOME: home }).settings.problem).toBeTruthy();
    expect(locateSource(undefined, { HOME: join(home, "nobody") }).settings.problem).toBeNull();
  });
});
