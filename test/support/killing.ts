import { join } from "node:path";

const CHILD = join(import.meta.dirname, "knowledge-child.ts");

/** Starts a flush or compile in a process of its own and, with `killAfter` milliseconds, kills it. */
export async function knowledgeChild(
  what: "flush" | "compile",
  place: { state: string; base: string },
  options: { modelMs?: number; killAfter?: number } = {},
): Promise<{ killed: boolean; code: number }> {
  const child = Bun.spawn(
    [process.execPath, CHILD, what, place.state, place.base, String(options.modelMs ?? 0)],
    {
      stdout: "inherit",
      stderr: "inherit",
    },
  );
  const timer =
    options.killAfter === undefined ? null : setTimeout(() => child.kill("SIGKILL"), options.killAfter);
  const code = await child.exited;
  if (timer !== null) clearTimeout(timer);
  return { killed: child.signalCode === "SIGKILL", code };
}

/** How long an undisturbed run takes, so that kills can be spread over all of it. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
