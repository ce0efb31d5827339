import { existsSync } from "node:fs";
import { join } from "node:path";
import { FIRST_EPOCH, type SourceValues } from "./claude-mem.ts";
import type { Workshop } from "./workshop.ts";

const CLI = join(import.meta.dirname, "..", "..", "src", "cli.ts");

/** Starts a build in a process of its own and kills it after `ms`; false when it had ended before. */
export async function killedBuild(shop: Workshop, ms: number): Promise<boolean> {
  return (await signalledBuild(shop, ms, "SIGKILL")).signal === "SIGKILL";
}

/** The same with any signal, `ms` after the store was made: what the process ended with. */
export async function signalledBuild(
  shop: Workshop,
  ms: number,
  signal: NodeJS.Signals,
): Promise<{ code: number | null; signal: NodeJS.Signals | number | null; stdout: string }> {
  const child = Bun.spawn([process.execPath, CLI, "build", "--json"], {
    env: { PATH: process.env["PATH"] ?? "", ...shop.env },
    stdout: "pipe",
    stderr: "ignore",
  });
  while (child.exitCode === null && !existsSync(shop.store)) await Bun.sleep(5);
  await Promise.race([Bun.sleep(ms), child.exited]);
  child.kill(signal);
  const stdout = await new Response(child.stdout).text();
  await child.exited;
  return { code: child.exitCode, signal: child.signalCode, stdout };
}

/** Rows of two projects and three types, with repeats, ties and changes of mind. */
export function exampleRows(count: number): SourceValues[] {
  const tags = ["gotcha", "decision", "how-it-works"];
  return Array.from({ length: count }, (_, n) => ({
    project: n % 3 === 0 ? "widgets" : "gears",
    title: `The ${n % 11 === 0 ? "shared" : `part ${n % 40}`} service listens on port ${3000 + (n % 7)}`,
    narrative: `It was moved in commit c${n % 90} because port ${2999 + (n % 7)} was taken; handler_${n} still needs a restart.`,
    facts: JSON.stringify([
      `handler_${n} needs a restart after ${n % 13} failures`,
      `src/part${n % 40}/server.ts binds the port`,
    ]),
    concepts: JSON.stringify([tags[n % tags.length]]),
    created_at_epoch: FIRST_EPOCH + Math.floor(n / 4) * 60_000,
  }));
}
