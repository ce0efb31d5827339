import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/cli.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const OXLINT = join(ROOT, "node_modules", ".bin", "oxlint");

interface Layer {
  files: string[];
  allowed: string[];
  forbidden: string[];
}

const ENTRY = ["../cli.ts", "../hook.ts", "../config.ts"];
const DOMAIN = ["../block/x.ts", "../memory/x.ts", "../knowledge/x.ts"];
const ABOVE = ["../commands/x.ts", "../hooks/x.ts", ...ENTRY];
const GROUND = ["../text/x.ts", "../errors.ts", "../paths.ts", "node:fs", "zod"];
const DATABASE = ["../store/x.ts", "../source/x.ts", "bun:sqlite", "drizzle-orm", "drizzle-orm/bun-sqlite"];
const LIBRARIES = [
  "zod",
  "drizzle-orm",
  "drizzle-orm/bun-sqlite",
  "commander",
  "yaml",
  "mdast-util-gfm",
  "@clack/prompts",
];
const VALUES = ["../digest/item.ts", "../digest/observation.ts"];

/** From the ground up, as CONTRIBUTING.md's table has it. */
const LAYERS: Layer[] = [
  {
    files: ["src/text/probe.ts"],
    allowed: ["../errors.ts", "../paths.ts", "./x.ts", "node:fs"],
    forbidden: ["../store/x.ts", "../merge/x.ts", "../digest/item.ts", ...DOMAIN, ...ABOVE],
  },
  {
    files: ["src/errors.ts", "src/paths.ts", "src/config.ts"],
    allowed: ["./x.ts", "zod"],
    forbidden: ["./store/x.ts", "./commands/x.ts", "./cli.ts", "./hook.ts"],
  },
  {
    files: ["src/merge/probe.ts", "src/model/probe.ts"],
    allowed: [...GROUND, ...VALUES, "../digest/fit.ts", "../digest/statements.ts", "../model/x.ts", "./x.ts"],
    forbidden: [...DATABASE, "../digest/fold.ts", ...DOMAIN, ...ABOVE],
  },
  {
    files: ["src/store/probe.ts", "src/source/probe.ts", "src/claude/probe.ts"],
    allowed: [...GROUND, ...VALUES, "bun:sqlite", "drizzle-orm", "./x.ts"],
    forbidden: ["../merge/x.ts", "../digest/fold.ts", ...DOMAIN, ...ABOVE],
  },
  {
    files: ["digest", "block", "memory", "knowledge"].map((folder) => `src/${folder}/probe.ts`),
    allowed: [...GROUND, ...VALUES, "../store/x.ts", "../source/x.ts", "../merge/x.ts", "../model/x.ts"],
    forbidden: ABOVE,
  },
  {
    files: ["src/commands/probe.ts"],
    allowed: [...GROUND, ...DOMAIN, "../config.ts", "../digest/fold.ts", "../store/x.ts"],
    forbidden: ["../cli.ts", "../hook.ts", "../hooks/x.ts"],
  },
  {
    files: ["src/hooks/probe.ts"],
    allowed: ["../text/x.ts", "../store/x.ts", "../paths.ts", "./x.ts", "bun:sqlite", "node:fs"],
    forbidden: [...LIBRARIES, "../commands/x.ts", "../cli.ts", "../config.ts"],
  },
  {
    files: ["src/hook.ts"],
    allowed: ["./hooks/x.ts", "./text/x.ts", "./paths.ts", "bun:sqlite", "node:fs"],
    forbidden: [...LIBRARIES, "./commands/x.ts", "./cli.ts", "./config.ts"],
  },
];

const ALL = [...LAYERS, ...LAYERS.slice(2, 6).map(oneFolderDeeper)];
const findings = lint(ALL);

test.each(ALL.flatMap((layer) => layer.files.map((file) => ({ file, ...layer }))))(
  "$file may import what is below it, and nothing above",
  ({ file, forbidden }) => {
    expect(findings.get(file)?.toSorted()).toEqual(forbidden.toSorted());
  },
);

test("every folder of src has its layer", () => {
  const known = new Set(LAYERS.flatMap(({ files }) => files.map((file) => dirname(file))));
  const folders = globSync("src/*/*.ts", { cwd: ROOT }).map((file) => dirname(file));
  expect(folders.filter((folder) => !known.has(folder))).toEqual([]);
});

/** They add a few milliseconds; not to the hook that the digests' promise of speed is about. */
const LIGHT = ["picomatch", "write-file-atomic"];

test.each(["src/hook.ts", ...globSync("src/hooks/*.ts", { cwd: ROOT })])(
  "%s loads no library, not even through what it imports",
  (file) => {
    const allowed = /\b(session-start|session-context|user-prompt-submit|hook)\.ts$/.test(file) ? [] : LIGHT;
    expect(librariesOf(file).filter((library) => !allowed.includes(library))).toEqual([]);
  },
);

/** Packages that a file loads at its start, itself or through what it imports. */
function librariesOf(entry: string): string[] {
  const seen = new Set<string>();
  const libraries = new Set<string>();
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(file, "utf8").replace(/^#!.*/, "");
    for (const { path, kind } of transpiler.scanImports(source)) {
      if (kind !== "import-statement") continue;
      if (path.endsWith(".ts")) visit(join(dirname(file), path));
      else if (!/^(node:|bun:|\.)/.test(path)) libraries.add(path);
    }
  };
  visit(join(ROOT, entry));
  return [...libraries];
}

test("a library behind two imports is seen", () => {
  expect(librariesOf("src/cli.ts")).toEqual(expect.arrayContaining(["commander", "zod", "cli-table3"]));
});

function oneFolderDeeper({ files, allowed, forbidden }: Layer): Layer {
  const deeper = (path: string) => (path.startsWith("./") ? `.${path}` : path.replace(/^\.\.\//, "../../"));
  return {
    files: files.map((file) => file.replace("probe.ts", "deeper/probe.ts")),
    allowed: allowed.map(deeper),
    forbidden: forbidden.map(deeper),
  };
}

/** What the linter forbids in each file when it imports all that its layer allows and all that it forbids. */
function lint(layers: readonly Layer[]): Map<string, string[]> {
  using folder = temporaryFolder();
  cpSync(join(ROOT, ".oxlintrc.json"), join(folder.path, ".oxlintrc.json"));
  for (const { files, allowed, forbidden } of layers) {
    for (const file of files) {
      const lines = [...allowed, ...forbidden].map((path) => `import ${JSON.stringify(path)};\n`);
      const types = file.includes("hook")
        ? 'import type { Type } from "zod";\nexport type Same = Type;\n'
        : "";
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), types + lines.join(""));
    }
  }
  const { stdout } = Bun.spawnSync([OXLINT, "--format", "unix"], { cwd: folder.path });
  const restricted = stdout.toString().matchAll(/^(\S+?):\d+:\d+: '(.+?)' import is restricted/gm);
  const found = new Map<string, string[]>();
  for (const [, file = "", path = ""] of restricted) found.set(file, [...(found.get(file) ?? []), path]);
  return found;
}
