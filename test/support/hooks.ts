import { join } from "node:path";
import { type CliRun, runCli } from "./cli.ts";

const HOOK = join(import.meta.dirname, "..", "..", "src", "hook.ts");

/** Calls a hook as Claude Code does: JSON on stdin, whatever comes on stdout. */
export async function runHook(
  name: string,
  input: unknown,
  options: { home: string; cwd?: string; env?: Record<string, string> },
): Promise<CliRun & { milliseconds: number }> {
  const start = performance.now();
  const run = await runCli([name], {
    ...options,
    entry: HOOK,
    stdin: typeof input === "string" ? input : JSON.stringify(input),
  });
  return { ...run, milliseconds: performance.now() - start };
}

/** Waits until it is so; work that a hook started goes on after the hook. */
export async function eventually<Value>(
  look: () => Value,
  isSo: (value: Value) => boolean,
  seconds = 20,
): Promise<Value> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = look();
    if (isSo(value)) return value;
    if (Date.now() > deadline) throw new Error(`never so; at last: ${JSON.stringify(value)}`);
    await Bun.sleep(50);
  }
}
