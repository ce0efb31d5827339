import { readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/table.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const run = (args: readonly string[]) => runCli(args, { home: folder.path });

describe.concurrent("each command", () => {
  test.each(COMMANDS)("$name --help has its summary and examples, and loads nothing", async (spec) => {
    const { code, stdout, stderr } = await run([...spec.name.split(" "), "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: persisted-memory ${spec.name} `));
    expect(stdout.replace(/\s+/g, " ")).toContain(spec.summary);
    for (const { line } of spec.examples) expect(stdout).toContain(`  ${line}\n`);
    expect(stdout.includes("--json")).toBe(spec.json);
  });

  test.each(COMMANDS)("$name with an unknown option is one error object, exit 2", async ({ name }) => {
    const { code, stdout, stderr } = await run([...name.split(" "), "--no-such-option", "--json"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      error: {
        code: "unknown-option",
        message: expect.stringContaining("--no-such-option"),
        hint: expect.any(String),
      },
    });
  });
});

test("none of that left a file behind", () => {
  const ofBunItself = ".bun";
  expect(readdirSync(folder.path).filter((name) => name !== ofBunItself)).toEqual([]);
});
