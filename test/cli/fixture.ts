import { mkdirSync } from "node:fs";
import { main } from "../../src/cli.ts";
import type { CommandSpec, Run } from "../../src/commands/command.ts";
import { Exit, UserError } from "../../src/errors.ts";

/** The command line with commands of a test's own: what ours must not do, or do only in rare moments. */
const FIXTURES: readonly CommandSpec[] = [
  spec("breaks", async () => {
    throw new TypeError("undefined is not an object\nsecond line");
  }),
  spec("refuses", async () => {
    throw new UserError({
      code: "not-today",
      message: "no",
      exit: Exit.refused,
      cause: new Error("the deeper reason"),
    });
  }),
  spec("stumbles", async () => {
    mkdirSync("/dev/null/folder");
    return Exit.done;
  }),
  spec("talks", async (_, { output }) => {
    for (let line = 0; line < 20_000; line++) output.text(`line ${line} ${"x".repeat(60)}`);
    output.note("got to the end");
    return Exit.done;
  }),
  spec("paints", async (_, { output }) => {
    output.text(output.colours.red("red"));
    return Exit.done;
  }),
  spec("waits", async (_, { output, signal }) => {
    output.note("waiting");
    const tick = setInterval(() => undefined, 1000);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    clearInterval(tick);
    signal.throwIfAborted();
    return Exit.done;
  }),
  spec("nested deep", async () => Exit.done),
];

process.exitCode = await main(process.argv.slice(2), FIXTURES);

function spec(name: string, run: Run): CommandSpec {
  return {
    name,
    summary: `${name}, for tests`,
    examples: [{ line: `persisted-memory ${name}`, does: "what a test wants" }],
    json: true,
    load: async () => ({ run }),
  };
}
