import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../src/commands/alias.ts";
import { Exit } from "../../src/errors.ts";
import { runCommand } from "../support/command.ts";
import { Workshop } from "../support/workshop.ts";

let workshop: Workshop;
beforeEach(() => {
  workshop = new Workshop([
    { project: "gadgets", title: "Postgres holds the queue", concepts: '["decision"]' },
    { project: "widgets", title: "Clocks drift", concepts: '["gotcha"]' },
  ]);
});
afterEach(() => workshop[Symbol.dispose]());

const alias = async (args: readonly string[], options: Record<string, unknown> = {}) =>
  JSON.parse((await runCommand(run, { args, options, env: workshop.env, json: true })).stdout).aliases;

test("an alias is set, changed, listed and removed", async () => {
  expect(await alias([])).toEqual({});
  expect(await Bun.file(workshop.store).exists()).toBe(false);
  expect(await alias(["gadgets", "widgets"])).toEqual({ gadgets: "widgets" });
  expect(await alias(["gadgets", "things"])).toEqual({ gadgets: "things" });
  expect(await alias(["old", "gadgets"])).toEqual({ gadgets: "things", old: "gadgets" });
  expect((await runCommand(run, { env: workshop.env })).stdout).toMatch(/gadgets +things\nold +gadgets/);
  expect(await alias([], { remove: "gadgets" })).toEqual({ old: "gadgets" });
});

test("the next build moves the rows, and back", async () => {
  await workshop.build();
  await alias(["gadgets", "widgets"]);
  await workshop.build();
  expect(Object.keys(workshop.cells()).filter((cell) => (workshop.cells()[cell] ?? []).length > 0)).toEqual([
    "widgets/decision",
    "widgets/gotcha",
  ]);
  await alias([], { remove: "gadgets" });
  await workshop.build();
  expect(workshop.cells()["gadgets/decision"]).toHaveLength(1);
  expect(workshop.cells()["widgets/decision"]).toHaveLength(0);
});

describe("what makes no sense is a usage error and changes nothing", () => {
  test.each([
    ["a project of itself", ["widgets", "widgets"], {}, "alias-of-itself"],
    ["a circle", ["things", "gadgets"], {}, "alias-circle"],
    ["half of one", ["widgets"], {}, "missing-argument"],
    ["removing what is none", [], { remove: "gadgts" }, "unknown-alias"],
    ["setting and removing at once", ["a", "b"], { remove: "gadgets" }, "alias-and-remove"],
  ])("%s", async (_, args, options, code) => {
    await alias(["gadgets", "things"]);
    await expect(alias(args, options)).rejects.toMatchObject({ code, exit: Exit.usage });
    expect(await alias([])).toEqual({ gadgets: "things" });
  });
});
