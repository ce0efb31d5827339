import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../paths.ts";

export interface ChildOrder {
  command: string;
  argv: readonly string[];
  env: Environment;
  cwd: string;
  /** Written to stdin, which is then closed. */
  input: string;
  timeoutMs: number;
}

export type ChildEnd =
  | { kind: "exited"; code: number | null; stdout: string; stderr: string }
  | { kind: "timed-out" }
  | { kind: "not-started"; reason: string };

/** Between asking a process to end and ending it. */
const GRACE_MS = 2000;
/** How long output may still come once the process itself has gone. */
const DRAIN_MS = 1000;

/**
 * Runs a program as the leader of a process group of its own, and ends that whole group when the time
 * is up or `signal` aborts (then it throws the signal's reason), so that nothing the program started
 * outlives it.
 */
export async function runChild(order: ChildOrder, signal: AbortSignal): Promise<ChildEnd> {
  signal.throwIfAborted();
  const over = AbortSignal.any([signal, AbortSignal.timeout(order.timeoutMs)]);
  const child = spawn(order.command, order.argv, {
    cwd: order.cwd,
    env: { ...order.env },
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const end = ended(child, over);
  // a program that never reads its input is no error of ours
  child.stdin.on("error", () => undefined);
  child.stdin.end(order.input);
  const result = await end;
  if (result !== "over") return result;
  await endGroup(child);
  signal.throwIfAborted();
  return { kind: "timed-out" };
}

async function ended(child: ChildProcessWithoutNullStreams, over: AbortSignal): Promise<ChildEnd | "over"> {
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const closed = once(child, "close").catch(() => undefined);
  try {
    const [code] = await once(child, "exit", { signal: over });
    // something that it left behind may hold its output open for ever
    const drained = await Promise.race([closed.then(() => true), sleep(DRAIN_MS, false, { ref: false })]);
    if (!drained) await endGroup(child);
    return {
      kind: "exited",
      code: typeof code === "number" ? code : null,
      stdout: stdout(),
      stderr: stderr(),
    };
  } catch (error) {
    if (over.aborted) return "over";
    return { kind: "not-started", reason: error instanceof Error ? error.message : String(error) };
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

/** The leader gets a moment to end well; what it leaves behind does not. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(child.pid), "/T", "/F"], { windowsHide: true });
    return;
  }
  sendSignal(-child.pid, "SIGTERM");
  const deadline = Date.now() + GRACE_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) await sleep(25);
  sendSignal(-child.pid, "SIGKILL");
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // nobody is left
  }
}
