import { type CallLedger, type Caps, type Spent, capReached } from "../model/guard.ts";
import { NO_USAGE, type Usage } from "../model/model.ts";
import type { Store } from "./open.ts";

/**
 * Notes each model call of a run before it is made, and what became of it. The caps are checked and the
 * intent is written in one transaction, so that processes cannot pass a cap together.
 */
export function callLedger(store: Store, runId: number, caps: Caps): CallLedger {
  return {
    begin: (call) =>
      store.write(() => {
        const at = Date.now();
        const reason = capReached(spent(store, runId, at), call, caps);
        if (reason !== null) {
          const isOfDay = !reason.includes("MAX_CALLS_PER_RUN");
          return { kind: "capped", reason, ...(isOfDay ? { resumeAt: new Date(dayStart(at) + DAY) } : {}) };
        }
        const { lastInsertRowid } = store.client
          .query(
            `INSERT INTO calls (run_id, at, purpose, project, type, model, prompt_version, batch_rows, input_tokens, outcome)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'intent')`,
          )
          .run(
            runId,
            at,
            call.purpose,
            call.project,
            call.type,
            call.model,
            call.promptVersion,
            call.batchRows,
            call.estimatedInputTokens,
          );
        return { kind: "begun", id: Number(lastInsertRowid) };
      }),
    settle: (id, { outcome, reason, usage }) =>
      store.write(() => {
        if (usage.calls === 0) {
          store.client.query("DELETE FROM calls WHERE id = ?").run(id); // nothing was sent after all
          return;
        }
        store.client
          .query(
            `UPDATE calls SET outcome = ?, reason = ?, input_tokens = max(?, iif(? = 'answered', 0, input_tokens)),
                              output_tokens = ?, cost_usd = ? WHERE id = ?`,
          )
          .run(outcome, reason, usage.inputTokens, outcome, usage.outputTokens, usage.costUsd, id);
      }),
  };
}

/** What a run's calls took; open intents count as estimated. */
export function usageOfRun({ client }: Store, runId: number): Usage {
  const row = client.query<Usage, [number]>(`SELECT ${USAGE} FROM calls WHERE run_id = ?`).get(runId);
  return row ?? NO_USAGE;
}

/** What a project's calls took so far, by what they were for. */
export function usageByPurpose({ client }: Store, project: string): (Usage & { purpose: string })[] {
  return client
    .query<Usage & { purpose: string }, [string]>(
      `SELECT purpose, ${USAGE} FROM calls WHERE project = ? GROUP BY purpose ORDER BY purpose`,
    )
    .all(project);
}

/** The cost is unknown as soon as one call's is. */
const USAGE = `count(*) AS calls, coalesce(sum(input_tokens), 0) AS inputTokens, coalesce(sum(output_tokens), 0) AS outputTokens,
               iif(count(*) = count(cost_usd), coalesce(sum(cost_usd), 0), NULL) AS costUsd`;

const DAY = 86_400_000;

/** The person's own day. */
function dayStart(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function spent(store: Store, runId: number, at: number): Spent {
  const row = store.client
    .query<Spent, [number, number]>(
      `SELECT (SELECT count(*) FROM calls WHERE run_id = ?) AS callsThisRun,
              count(*) AS callsToday, coalesce(sum(input_tokens), 0) AS inputTokensToday
       FROM calls WHERE at >= ?`,
    )
    .get(runId, dayStart(at));
  return row ?? { callsThisRun: 0, callsToday: 0, inputTokensToday: 0 };
}
