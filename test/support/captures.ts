import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listLogs } from "../../src/knowledge/daily.ts";
import { type Capture, enqueue } from "../../src/knowledge/queue.ts";
import type { Message } from "../../src/knowledge/transcript.ts";

export interface CaptureSpec extends Partial<Omit<Capture, "messages">> {
  base: string;
  /** Which exchanges of the session: 1 to 3 are its first three questions with their answers. */
  from?: number;
  to?: number;
}

/** A capture in the queue, of a session that talks about one fact after the other; `as` is the id that it goes by, its own unless told. */
export function queueCapture(state: string, spec: CaptureSpec, as?: string): void {
  const session = spec.session ?? "s1";
  const [from, to] = [spec.from ?? 1, spec.to ?? 3];
  const messages = Array.from({ length: to - from + 1 }, (_, n) => exchange(session, from + n)).flat();
  const capture: Capture = {
    project: null,
    event: "session-end",
    at: Date.now(),
    refusals: 0,
    ...spec,
    session: as ?? session,
    messages,
  };
  enqueue(state, capture);
}

/** Two messages whose answer holds a word that stands nowhere else. */
function exchange(session: string, n: number): Message[] {
  const fact = factOf(session, n);
  return [
    { role: "user", text: `How should part ${n} of the service work?`, hash: `${session}-q${n}` },
    {
      role: "assistant",
      text: `We decided that part ${n} uses ${fact} instead of the old way.`,
      hash: `${session}-a${n}`,
    },
  ];
}

export function factOf(session: string, n: number): string {
  return `fact-${session}-${n}-end`;
}

/** How often each session's facts stand in decisions of a base's daily logs. */
export function factsIn(base: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const log of listLogs(join(base, "daily"))) {
    for (const line of readFileSync(join(base, "daily", log), "utf8").split("\n")) {
      if (!line.startsWith("- We decided")) continue;
      for (const [fact] of line.matchAll(/fact-\S+-end/g)) counts.set(fact, (counts.get(fact) ?? 0) + 1);
    }
  }
  return counts;
}
