import { join } from "node:path";
import { expect, test } from "vitest";
import { HOOK_NAMES, hookCommand, hookOf, programOf } from "../../src/claude/hook-entries.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const PROGRAMS = [
  { bun: "/usr/bin/bun", script: "/srv/pm/plugin/dist/hook.js" },
  { bun: "/my home/bun", script: "/my home/o'neil/plugin/dist/hook.js" },
  { bun: "/a$b/`c`/bun", script: '/with "quotes"/\\back/dist/hook.js' },
];

test.each(PROGRAMS)("a command line leads back to what it was made of: %o", (program) => {
  for (const name of HOOK_NAMES) {
    const command = hookCommand(name, program);
    expect(programOf(command)).toEqual(program);
    expect(hookOf(command)).toBe(name);
  }
});

test.each(PROGRAMS)("and a shell reads the same from it: %o", (program) => {
  const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s\\n' ${hookCommand("session-end", program)}`]);
  const [bun, , , script, name] = stdout.toString().split("\n");
  expect({ bun, script, name }).toEqual({ ...program, name: "session-end" });
});

test.each([
  [`bun ${ROOT}/src/hook.ts session-start`, "session-start"],
  ['"/gone/bun" "/old/persisted-memory/src/hook.ts" pre-compact', "pre-compact"],
  ["bun /srv/their-tool/src/hook.ts session-start", null],
  ["bun /old/persisted-memory/src/hook.ts no-such-hook", null],
  ["echo persisted-memory session-start", null],
  ["", null],
])("`%s` is %s of ours", (command, name) => {
  expect(hookOf(command)).toBe(name);
});
