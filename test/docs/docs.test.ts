import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import pkg from "../../package.json" with { type: "json" };
import { helpText, leafCommands, staleDocs } from "../../scripts/generate-docs.ts";
import { changedTables, lastSnapshot } from "../../scripts/migrations-fresh.ts";
import { createProgram } from "../../src/cli.ts";
import { COMMANDS } from "../../src/commands/table.ts";
import { temporaryFolder } from "../support/cli.ts";
import { shellWords } from "../support/shell-words.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const README = read("README.md");
const PAGE = read("docs/commands.md");
const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "docs/upstream-notes.md",
  "docs/benchmarks.md",
];

test.each(COMMANDS)(
  "$name stands in the docs, with a summary and examples",
  ({ name, summary, examples }) => {
    expect(summary).toMatch(/^\S.{10,}[^.\s]$/);
    expect(examples.length).toBeGreaterThan(0);
    expect(README).toContain(`| [\`${name}\`](docs/commands.md#${name.replaceAll(" ", "-")}) |`);
    expect(PAGE).toContain(`\n## ${name}\n`);
    const command = leafCommands().get(name);
    const help = command === undefined ? "" : helpText(command);
    for (const { line, does } of examples) {
      expect(help).toContain(`  ${line}\n`);
      expect(does).toMatch(/^\S.*[^.\s]$/);
    }
  },
);

test.each(COMMANDS)("the examples of $name are understood, and call it", async ({ name, examples }) => {
  const called = await Promise.all(examples.map(({ line }) => understood(line)));
  expect(called).toContain(name);
});

test.each(COMMANDS)("$name has its code", async ({ load }) => {
  expect(await load()).toHaveProperty("run", expect.any(Function));
});

test("no command is described twice", () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
});

test("a command line that nothing understands is noticed", async () => {
  await expect(understood("persisted-memory no-such-command")).rejects.toThrow(CommanderError);
});

test("README is short, and its first two npx lines do all that a newcomer needs", () => {
  expect(README.split("\n").length).toBeLessThanOrEqual(201);
  const bun = pkg.packageManager.replace("bun@", "npx --yes bun@");
  const lines = README.split("\n").filter((line) => line.startsWith("npx"));
  expect(lines.slice(0, 2)).toEqual([`${bun} run seed-example`, `${bun} run test`]);
});

test.each(DOCUMENTS)("the command lines in %s are understood", async (document) => {
  const blocks = matches(read(document), /^```(?:sh)?\n([^]*?)^```$/gm);
  const lines = blocks.flatMap((block) => block.split("\n")).map((line) => line.replace(/^\$ /, ""));
  for (const line of lines.filter((text) => /^([A-Z_]+=\S* )*(persisted-memory|pmem) /.test(text))) {
    await understood(line);
  }
});

test.each(DOCUMENTS)("what %s links to is there", (document) => {
  const links = matches(read(document), /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g);
  for (const link of links) expect(existsSync(join(ROOT, dirname(document), link)), link).toBe(true);
});

test("stale docs are named, and fresh ones are not", () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "docs"));
  for (const file of ["README.md", "CONTRIBUTING.md", "docs/commands.md"])
    cpSync(join(ROOT, file), join(folder.path, file));
  const demo = { excerpt: "what it prints", fold: "before and after" };
  for (const { path, text } of staleDocs(folder.path, demo)) writeFileSync(path, text);
  expect(staleDocs(folder.path, demo)).toEqual([]);
  expect(staleDocs(folder.path, { ...demo, fold: "something else" })).toHaveLength(1);
  const readme = join(folder.path, "README.md");
  writeFileSync(readme, readFileSync(readme, "utf8").replace("| `MERGE_MODEL` |", "| `MERGE_MODLE` |"));
  writeFileSync(join(folder.path, "docs", "commands.md"), "");
  expect(staleDocs(folder.path, demo).map(({ path }) => path.slice(folder.path.length + 1))).toEqual([
    "README.md",
    "docs/commands.md",
  ]);
});

test("a table that no migration knows is named", () => {
  const snapshot = lastSnapshot(join(ROOT, "drizzle", "meta"));
  expect(changedTables(snapshot, structuredClone(snapshot))).toEqual([]);
  const { items, ...others } = snapshot.tables;
  expect(items).toBeDefined();
  const ahead = { ...snapshot, tables: { ...others, items: { ...Object(items), columns: {} }, more: {} } };
  expect(changedTables(snapshot, ahead)).toEqual(["items", "more"]);
});

/** What the first group of a global pattern catches. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found]) => found ?? "");
}

/** The command that a line calls; throws what the argument library throws for a line that it rejects. */
async function understood(line: string): Promise<string> {
  const [program, ...words] = shellWords(line);
  expect(program).toMatch(/^(persisted-memory|pmem)$/);
  let called = "";
  await createProgram(async (spec) => void (called = spec.name)).parseAsync(words, { from: "user" });
  return called;
}
