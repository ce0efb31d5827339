import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import pkg from "../../package.json" with { type: "json" };
import { buildPlugin } from "../../scripts/build-plugin.ts";
import { programOf } from "../../src/claude/hook-entries.ts";
import { run as install } from "../../src/commands/install.ts";
import { readHeartbeat } from "../../src/store/heartbeat.ts";
import { makeSource } from "../support/claude-mem.ts";
import { temporaryFolder } from "../support/cli.ts";
import { runCommand } from "../support/command.ts";
import { makeStore } from "../support/digest-store.ts";
import { eventually } from "../support/hooks.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

test("the manifests name what is there", () => {
  const [marketplace, plugin] = [
    readJson(join(ROOT, ".claude-plugin/marketplace.json")),
    readJson(join(ROOT, "plugin/.claude-plugin/plugin.json")),
  ];
  expect(marketplace.plugins).toEqual([expect.objectContaining({ name: plugin.name, source: "./plugin" })]);
  expect(plugin).toMatchObject({ name: "persisted-memory", version: pkg.version, license: pkg.license });
  expect(readdirSync(join(ROOT, "plugin/skills"))).toEqual(["project-memory"]);
});

test("copied alone, into a path with spaces, it puts the block into a session: once, and fresh after a session's end", async () => {
  using place = await installed();
  makeSource(join(place.home, ".claude-mem/claude-mem.db"), [
    { project: "widgets-api", title: "The billing queue drops jobs over 64 KB", concepts: '["gotcha"]' },
  ]);
  expect(place.call("session-start")).toBe("");
  expect(place.call("session-end", { CLAUDE_CODE_ENTRYPOINT: "cli" })).toBe("");
  const store = join(place.home, ".local/share/persisted-memory/digests.db");
  await eventually(
    () => readHeartbeat(join(place.home, ".local/state/persisted-memory"), store),
    (beat) => beat !== null,
  );
  for (let session = 0; session < 2; session++) {
    const { additionalContext } = JSON.parse(place.call("session-start")).hookSpecificOutput;
    expect(additionalContext).toContain("drops jobs over 64 KB");
  }
  expect(place.log()).toBe("");
});

test("beside `install` it is silent, and speaks again after `uninstall`", async () => {
  using place = await installed();
  makeStore(join(place.home, ".local/share/persisted-memory/digests.db"), {
    "widgets-api": { gotcha: [{ text: "one" }] },
  }).close();
  await Bun.sleep(150); // so that answers are kept
  expect(place.call("session-start")).toContain("- one");
  const local = {
    options: { apply: true, local: true },
    env: { HOME: place.home, PATH: "" },
    cwd: place.folder,
  };
  await runCommand(install, local);
  for (let session = 0; session < 2; session++) expect(place.call("session-start")).toBe("");
  writeFileSync(join(place.folder, ".claude/settings.local.json"), "{}");
  expect(place.call("session-start")).toContain("- one");
});

test("without Bun it says so, in one session and not in the next", async () => {
  using place = await installed();
  const none = { PATH: place.toolsOnly, BUN_INSTALL: "/nowhere" };
  expect(place.call("session-end", none)).toBe("");
  expect(JSON.parse(place.call("session-start", none))).toEqual({
    systemMessage: expect.stringContaining("https://bun.sh"),
  });
  expect(place.call("session-start", none)).toBe("");
});

test("its command line is the whole one, and installs the plugin's own hooks", async () => {
  using place = await installed();
  const run = (...words: string[]) => {
    const env = { HOME: place.home, PATH: process.env["PATH"] ?? "" };
    return Bun.spawnSync([join(place.plugin, "bin/persisted-memory"), ...words], { env, cwd: place.folder });
  };
  expect(run("--version").stdout.toString()).toBe(`${pkg.version}\n`);
  const { hooks } = JSON.parse(run("install", "--json").stdout.toString());
  expect(programOf(hooks[0].command)?.script).toBe(join(place.plugin, "dist/hook.js"));
});

/** A copy of the plugin as Claude Code keeps it, made from the sources as they are now. */
async function installed() {
  const folder = temporaryFolder();
  const home = join(folder.path, "my home");
  const plugin = join(home, "plugins", "persisted-memory");
  cpSync(join(ROOT, "plugin"), plugin, {
    recursive: true,
    filter: (path) => !/plugin[/\\](dist|drizzle)$/.test(path),
  });
  cpSync(await freshBundle(), plugin, { recursive: true });
  const project = join(home, "widgets-api");
  for (const path of [project, join(home, ".claude-mem")]) mkdirSync(path);
  const tools = join(folder.path, "tools");
  mkdirSync(tools);
  for (const tool of ["sh", "dirname", "mkdir"]) symlinkSync(Bun.which(tool) ?? tool, join(tools, tool));
  return {
    home,
    plugin,
    folder: project,
    /** A PATH on which there is no Bun. */
    toolsOnly: tools,
    call: (name: string, env: Record<string, string> = {}) => {
      const child = Bun.spawnSync(["sh", join(plugin, "hooks/run.sh"), name], {
        cwd: project,
        env: { HOME: home, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, ...env },
        stdin: Buffer.from(JSON.stringify({ cwd: project, source: "startup" })),
      });
      expect({ code: child.exitCode, stderr: child.stderr.toString() }).toEqual({ code: 0, stderr: "" });
      return child.stdout.toString();
    },
    log: () => {
      const path = join(home, ".local/state/persisted-memory/hooks.log");
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

let bundle: Promise<string> | null = null;

/** Bundled once for all tests here. */
async function freshBundle(): Promise<string> {
  bundle ??= (async () => {
    const target = temporaryFolder().path;
    await buildPlugin(ROOT, target);
    return target;
  })();
  return bundle;
}
