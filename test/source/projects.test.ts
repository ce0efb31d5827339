import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followAliases, folderGlobs, isJunkProject, placeProjects } from "../../src/source/projects.ts";

const NOTHING = { aliases: new Map<string, string>(), excluded: [], excludedFolders: [] };

describe("aliases", () => {
  const aliases = new Map([
    ["a", "b"],
    ["b", "c"],
    ["x", "y"],
    ["y", "x"],
    ["self", "self"],
  ]);

  it.each([
    ["a", "c"],
    ["b", "c"],
    ["c", "c"],
    ["other", "other"],
    ["self", "self"],
  ])("%s leads to %s", (from, to) => {
    expect(followAliases(from, aliases)).toBe(to);
  });

  it("ends in a circle", () => {
    expect(["x", "y"]).toContain(followAliases("x", aliases));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ max: 8, min: 0 }), fc.integer({ max: 8, min: 0 }))),
        (pairs) => {
          const any = new Map(pairs.map(([from, to]) => [`p${from}`, `p${to}`]));
          return typeof followAliases("p1", any) === "string";
        },
      ),
    );
  });

  it("come after merging, and can rescue a junk name", () => {
    const place = placeProjects({
      ...NOTHING,
      aliases: new Map([
        ["repo", "new"],
        ["T", "scratch"],
      ]),
    });
    expect(place("wt", "repo")).toEqual({ project: "new", skip: null });
    expect(place("T", "")).toEqual({ project: "scratch", skip: null });
  });
});

describe("junk projects", () => {
  it.each(["observer-sessions", "T", "13.12.4", "v1.2", "1.0.0-beta.1", "tmp.x7Gk2L"])(
    "%s is junk",
    (name) => {
      expect(isJunkProject(name)).toBe(true);
      expect(placeProjects(NOTHING)(name, "").skip).toBe("junk-project");
    },
  );

  it.each([
    "repo",
    "t",
    "13",
    "v8",
    "tmp",
    "tmpl.js",
    "node-13.12.4",
    "2048",
    "unknown-project",
    "my.tmp.dir",
  ])("%s is none", (name) => {
    expect(isJunkProject(name)).toBe(false);
  });
});

describe("the user's excluded projects", () => {
  const skip = (globs: string[], project: string, merged = "", aliases = new Map<string, string>()) =>
    placeProjects({ ...NOTHING, aliases, excluded: globs })(project, merged).skip;

  it.each([
    ["repo", "repo"],
    ["client-*", "client-a"],
    ["{a,b}", "b"],
    ["My Repo", "My Repo"],
    [".hidden", ".hidden"],
    ["*", ".hidden"],
    ["repo", "repo/worktree"],
    ["repo/*", "repo/worktree"],
    ["worktree", "repo/worktree"],
  ])("%s leaves out %s", (glob, project) => {
    expect(skip([glob], project)).toBe("excluded-project");
  });

  it.each([
    ["repo", "Repo"],
    ["repo", "repository"],
    ["repo/*", "repo"],
    ["client-*", "my-client-a"],
  ])("%s keeps %s", (glob, project) => {
    expect(skip([glob], project)).toBeNull();
  });

  it("hold for every name of a row", () => {
    expect(skip(["secret"], "secret", "open")).toBe("excluded-project");
    expect(skip(["secret"], "open", "secret")).toBe("excluded-project");
    expect(skip(["secret"], "open", "", new Map([["open", "secret"]]))).toBe("excluded-project");
  });
});

describe("claude-mem's excluded folders", () => {
  const skip = (globs: string[], project: string) =>
    placeProjects({ ...NOTHING, excludedFolders: globs })(project, "").skip;

  it.each([
    ["repo", "repo"],
    ["/home/me/work/repo", "repo"],
    ["/home/me/work/repo/", "repo"],
    ["~/clients/acme-*", "acme-web"],
    ["**/private", "private"],
    ["C:\\work\\repo", "repo"],
    ["temp-?", "temp-1"],
    ["[draft]", "[draft]"],
    ["repo", "repo/worktree"],
  ])("%s leaves out %s", (glob, project) => {
    expect(skip([glob], project)).toBe("excluded-project");
  });

  it.each([
    ["~/clients/*", "anything"],
    ["/srv/**", "anything"],
    ["**/private/**", "private"],
    ["~", "anything"],
    ["{a,b}", "a"],
    ["!repo", "other"],
  ])("%s keeps %s", (glob, project) => {
    expect(skip([glob], project)).toBeNull();
  });

  it("are named where no project name can tell", () => {
    expect(folderGlobs(["~/clients/*", "repo", "/srv/**", "*"]).unusable).toEqual(["~/clients/*", "/srv/**"]);
    expect(skip(["*"], "anything")).toBe("excluded-project");
  });
});
