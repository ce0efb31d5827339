import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command } from "../docs/examples/command.ts";
import { temporaryFolder } from "../support/cli.ts";
import { PROMPT } from "../support/model-contract.ts";

const NEVER = new AbortController().signal;

function open(folder: string, script: string) {
  const program = join(folder, "program");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const model = command.accepts(`command:${program}`) ?? "";
  const env = { PATH: process.env["PATH"] ?? "" };
  return command.open(model, {
    env,
    useApiKey: false,
    timeoutMs: 1000,
    workingFolder: folder,
    warn: () => undefined,
  });
}

test("the provider that CONTRIBUTING shows answers", async () => {
  using folder = temporaryFolder();
  const outcome = await open(
    folder.path,
    'while read -r line || [ "$line" ]; do last=$line; done; echo "asked: $last"',
  )(PROMPT, NEVER);
  expect(outcome).toMatchObject({
    kind: "answered",
    text: `asked: ${PROMPT.user}`,
    usage: { calls: 1 },
  });
});

test.each([
  ["says nothing", "exit 0"],
  ["fails", "echo half; exit 3"],
  ["does not end", "/bin/sleep 60"],
])("a program that %s is refused", async (_, script) => {
  using folder = temporaryFolder();
  expect(await open(folder.path, script)(PROMPT, NEVER)).toMatchObject({
    kind: "refused",
    usage: { calls: 1 },
  });
});

test("a program that is not there pauses", async () => {
  using folder = temporaryFolder();
  const options = {
    env: {},
    useApiKey: false,
    timeoutMs: 1000,
    workingFolder: folder.path,
    warn: () => undefined,
  };
  expect(await command.open("/nonexistent/program", options)(PROMPT, NEVER)).toMatchObject({
    kind: "paused",
  });
});
