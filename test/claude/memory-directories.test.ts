import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  agentMemories,
  memoryPlace,
  projectSlug,
  siblingStores,
} from "../../src/claude/memory-directories.ts";
import { temporaryFolder } from "../support/cli.ts";

interface Home {
  path: string;
  env: Record<string, string>;
  put: (path: string, content: string | object) => void;
}

function withHome(run: (home: Home) => void): void {
  using folder = temporaryFolder();
  const path = realpathSync(folder.path);
  const put: Home["put"] = (file, content) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), typeof content === "string" ? content : JSON.stringify(content));
  };
  run({ path, env: { HOME: path }, put });
}

/** A repository as git lays it out, with two linked worktrees. */
function makeRepository({ path, put }: Home): void {
  for (const file of ["HEAD", "objects/x", "refs/x"]) put(`repo/.git/${file}`, "");
  put("repo/.git/config", "[core]\n\tbare = false\n");
  put("repo/packages/api/x", "");
  for (const [folder, name] of [
    ["wt", "wt"],
    ["repo/.claude/worktrees/inner", "inner"],
  ]) {
    put(`${folder}/.git`, `gitdir: ${join(path, "repo/.git/worktrees", name ?? "")}\n`);
    put(`repo/.git/worktrees/${name}/commondir`, "../..\n");
    put(`repo/.git/worktrees/${name}/HEAD`, "");
  }
}

describe("one memory for a repository", () => {
  test.each(["repo", "repo/packages/api", "wt", "repo/.claude/worktrees/inner", "link"])("%s", (cwd) => {
    withHome((home) => {
      makeRepository(home);
      symlinkSync(join(home.path, "repo"), join(home.path, "link"));
      const slug = projectSlug(join(home.path, "repo"));
      expect(memoryPlace(join(home.path, cwd), home.env)).toMatchObject({
        directory: join(home.path, ".claude/projects", slug, "memory"),
        scope: "default",
        project: join(home.path, "repo"),
      });
    });
  });

  test("worktrees of a bare repository share its folder's", () => {
    withHome((home) => {
      for (const file of ["HEAD", "objects/x", "refs/x"]) home.put(`bare.git/${file}`, "");
      home.put("bw/.git", `gitdir: ${join(home.path, "bare.git/worktrees/bw")}\n`);
      home.put("bare.git/worktrees/bw/commondir", "../..\n");
      home.put("bare.git/worktrees/bw/HEAD", "");
      expect(memoryPlace(join(home.path, "bw"), home.env).project).toBe(join(home.path, "bare.git"));
    });
  });

  test("outside git, each folder has its own", () => {
    withHome((home) => {
      home.put("plain/sub/x", "");
      expect(memoryPlace(join(home.path, "plain/sub"), home.env).project).toBe(join(home.path, "plain/sub"));
    });
  });
});

describe("autoMemoryDirectory", () => {
  const LOCAL = "repo/.claude/settings.local.json";
  const PROJECT = "repo/.claude/settings.json";
  const USER = ".claude/settings.json";
  test.each<[string, Record<string, string>, string, string]>([
    ["user settings", { [USER]: "~/u" }, "user", "u"],
    ["project before user", { [USER]: "~/u", [PROJECT]: "~/p" }, "project", "p"],
    ["local before both", { [USER]: "~/u", [PROJECT]: "~/p", [LOCAL]: "~/l" }, "local", "l"],
    ["a slash at the end is none", { [USER]: "~/u/" }, "user", "u"],
  ])("%s", (_, settings, scope, directory) => {
    withHome((home) => {
      makeRepository(home);
      for (const [file, value] of Object.entries(settings)) home.put(file, { autoMemoryDirectory: value });
      const place = memoryPlace(join(home.path, "repo"), home.env);
      expect(place).toMatchObject({ scope, directory: join(home.path, directory) });
      expect(place.passedOver).toHaveLength(Object.keys(settings).length - 1);
    });
  });

  test.each(["relative", "", "/", "~", "~/"])("%j counts as set, but leads to the default", (value) => {
    withHome((home) => {
      makeRepository(home);
      home.put(PROJECT, { autoMemoryDirectory: value });
      home.put(USER, { autoMemoryDirectory: "~/u" });
      const place = memoryPlace(join(home.path, "repo"), home.env);
      expect(place.scope).toBe("default");
      expect(place.passedOver.map(({ scope }) => scope)).toEqual(["project", "user"]);
    });
  });

  test("project settings are the folder's own, local ones the repository's", () => {
    withHome((home) => {
      makeRepository(home);
      home.put(PROJECT, { autoMemoryDirectory: "~/p" });
      expect(memoryPlace(join(home.path, "repo/packages/api"), home.env).scope).toBe("default");
      home.put(LOCAL, { autoMemoryDirectory: "~/l" });
      expect(memoryPlace(join(home.path, "wt"), home.env).scope).toBe("local");
    });
  });

  test("settings with comments are no settings, as for Claude Code", () => {
    withHome((home) => {
      home.put(USER, '{ // here\n "autoMemoryDirectory": "/x" }');
      expect(memoryPlace(home.path, home.env).scope).toBe("default");
    });
  });
});

describe("the environment", () => {
  test("CLAUDE_CONFIG_DIR moves all of it", () => {
    withHome((home) => {
      home.put("cfg/settings.json", { autoMemoryDirectory: "~/u" });
      const env = { ...home.env, CLAUDE_CONFIG_DIR: join(home.path, "cfg") };
      expect(memoryPlace(home.path, env)).toMatchObject({ scope: "user", directory: join(home.path, "u") });
    });
  });

  test.each<[string, Record<string, string>, object]>([
    ["the variable", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }, {}],
    ["a setting", {}, { autoMemoryEnabled: false }],
  ])("switched off by %s is said so", (_, variables, settings) => {
    withHome((home) => {
      home.put(".claude/settings.json", settings);
      expect(memoryPlace(home.path, { ...home.env, ...variables }).disabledBy).not.toBeNull();
      expect(memoryPlace("/nowhere", { HOME: "/nowhere" }).disabledBy).toBeNull();
    });
  });
});

describe("slugs", () => {
  const long = `/tmp/mem/h-x4Fh21/${"a".repeat(120)}/${"b".repeat(120)}`;
  test.each([
    ["/home/me/my_app.v2", "-home-me-my-app-v2"],
    ["/tmp/My Répo_ü", "-tmp-My-R-po--"],
    // as Claude Code named it
    [long, `${long.replaceAll(/[^a-zA-Z0-9]/g, "-").slice(0, 200)}-4qg0kd`],
  ])("%s", (folder, slug) => {
    expect(projectSlug(folder)).toBe(slug);
  });

  test("stores whose names differ in _ and - are found, if there is something in them", () => {
    withHome((home) => {
      const project = "/srv/my_app";
      home.put(".claude/projects/-srv-my-app/memory/MEMORY.md", "");
      home.put(".claude/projects/-srv-my_app/memory/MEMORY.md", "");
      home.put(".claude/projects/-srv_my-app/memory/notes.txt", "");
      home.put(".claude/projects/-srv-my-apps/memory/MEMORY.md", "");
      expect(siblingStores(project, home.env)).toEqual([
        join(home.path, ".claude/projects/-srv-my_app/memory"),
      ]);
    });
  });
});

test("agents' memories of every scope", () => {
  withHome((home) => {
    home.put(".claude/agent-memory/reviewer/MEMORY.md", "");
    home.put("repo/.claude/agent-memory/tester/MEMORY.md", "");
    home.put("repo/.claude/agent-memory-local/writer/MEMORY.md", "");
    home.put("repo/.claude/agent-memory/empty/other.md", "");
    const found = agentMemories(join(home.path, "repo"), home.env).map(
      ({ agent, scope }) => `${scope} ${agent}`,
    );
    expect(found).toEqual(["user reviewer", "project tester", "local writer"]);
  });
});
