import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { CommandSpec } from "../../src/commands/command.ts";
import { SHELLS, type Shell, completionScript } from "../../src/commands/completion-script.ts";
import { COMMANDS } from "../../src/commands/table.ts";
import { temporaryFolder } from "../support/cli.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const spec = (name: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  name,
  summary: `What's ${name}: "quoted" $HOME`,
  examples: [],
  json: true,
  load: () => Promise.reject(new Error("a completion loads nothing")),
  ...more,
});
const TABLE = [
  spec("read"),
  spec("memory audit", { options: [{ flags: "--deep", meaning: "it's deep" }] }),
  spec("memory gate check", { json: false }),
  spec("schedule", { options: [{ flags: "--with <how>", meaning: "how", choices: ["cron", "systemd"] }] }),
  spec("completion", { args: [{ notation: "<shell>", meaning: "which", choices: ["bash", "zsh"] }] }),
];

const CASES: [string[], string[]][] = [
  [[""], ["completion", "memory", "read", "schedule"]],
  [["me"], ["memory"]],
  [
    ["memory", ""],
    ["audit", "gate"],
  ],
  [["memory", "gate", "ch"], ["check"]],
  [
    ["memory", "audit", "--"],
    ["--deep", "--help", "--json"],
  ],
  [["memory", "gate", "check", "--"], ["--help"]],
  [["read", "some-project", "--j"], ["--json"]],
  [
    ["schedule", "--with", ""],
    ["cron", "systemd"],
  ],
  [["completion", "b"], ["bash"]],
];

describe.each(SHELLS.filter((shell) => Bun.which(shell) !== null))("in %s", (shell) => {
  test.each(CASES)("%j is completed to %j", (words, expected) => {
    expect(complete(shell, completionScript(shell, TABLE), words)).toEqual(expected);
  });

  test("the whole table's script is accepted, and knows every first word", () => {
    const first = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""))];
    expect(complete(shell, completionScript(shell, COMMANDS), [""])).toEqual(first.toSorted());
  });
});

/** What the shell itself offers behind `pmem …`, sorted; the last word is the one at the cursor. */
function complete(shell: Shell, script: string, words: readonly string[]): string[] {
  const file = join(folder.path, `completion.${shell}`);
  writeFileSync(file, script);
  const line = ["pmem", ...words];
  const array = line.map((word) => `'${word}'`).join(" ");
  const asks: Record<Shell, string> = {
    bash: `. ${file}; COMP_WORDS=(${array}); COMP_CWORD=${words.length}; _persisted_memory; printf '%s\\n' "\${COMPREPLY[@]}"`,
    zsh: `compdef() { :; }; _describe() { print -l -- \${(P)2} }; _files() { :; }; . ${file}; words=(${array}); CURRENT=${line.length}; _persisted_memory`,
    fish: `source ${file}; complete -C"${line.join(" ")}"`,
  };
  const noRc: Record<Shell, string[]> = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] };
  const { stdout, stderr } = Bun.spawnSync([shell, ...noRc[shell], "-c", asks[shell]], {
    cwd: folder.path,
    env: { HOME: folder.path, PATH: process.env["PATH"] ?? "" },
  });
  expect(stderr.toString()).toBe("");
  const offered = stdout
    .toString()
    .split("\n")
    .filter((text) => text !== "");
  const plain = offered.map((text) => text.split(shell === "zsh" ? ":" : "\t")[0] ?? "");
  // zsh is handed all that may stand there and chooses itself
  return plain
    .filter((word) => word.startsWith(words.at(-1) ?? ""))
    .filter((word) => word !== `completion.${shell}`)
    .toSorted();
}
