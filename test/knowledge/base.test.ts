import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ChosenBase, chooseBase, ownerFile } from "../../src/knowledge/base.ts";
import { temporaryFolder } from "../support/cli.ts";

function choose(root: string, folder: string, configured: string | null = null): ChosenBase {
  return chooseBase({
    configured,
    data: join(root, "data"),
    folder,
    cwd: join(root, "work"),
    env: { HOME: join(root, "home") },
  });
}

function own(root: string, folder: string): void {
  mkdirSync(root, { recursive: true });
  writeFileSync(ownerFile(root), `${folder}\n`);
}

test("a project has a base of its own by its name; a folder of one's choice goes before it", () => {
  using root = temporaryFolder();
  expect(choose(root.path, "/src/widgets-api").base.root).toBe(join(root.path, "data/knowledge/widgets-api"));
  expect(choose(root.path, "/src/My App!").base.root).toBe(join(root.path, "data/knowledge/My-App-"));
  expect(choose(root.path, "/").base.root).toBe(join(root.path, "data/knowledge/project"));
  expect(choose(root.path, "/src/a", "/vault").base.root).toBe("/vault");
  expect(choose(root.path, "/src/a", "notes").base.root).toBe(join(root.path, "work/notes"));
  expect(choose(root.path, "/src/a", "~/notes").base.root).toBe(join(root.path, "home/notes"));
  expect(choose(root.path, "/src/a", "~/notes").project).toBeNull();
});

test("two projects of one name have two bases; one that moved keeps its own", () => {
  using root = temporaryFolder();
  const [one, two] = [join(root.path, "one/api"), join(root.path, "two/api")];
  for (const folder of [one, two]) mkdirSync(folder, { recursive: true });
  const first = choose(root.path, one).base.root;
  own(first, one);
  const second = choose(root.path, two).base.root;
  expect(second).toMatch(/knowledge\/api-[0-9a-f]{8}$/);
  expect(choose(root.path, one).base.root).toBe(first);
  rmSync(one, { recursive: true });
  expect(choose(root.path, join(root.path, "three/api")).base.root).toBe(first);
});
