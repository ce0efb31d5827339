import type { Item } from "../digest/item.ts";
import type { Observation } from "../digest/observation.ts";
import type { Usage } from "../model/model.ts";

/**
 * The seam: folds a batch of observations into a digest's items. Knows no database and no file.
 * Must not change its request; must be safe to call again with the same one; must end soon after
 * `signal` aborts (by throwing its reason).
 */
export type Merge = (request: MergeRequest, signal: AbortSignal) => Promise<MergeOutcome>;

export interface MergeRequest {
  project: string;
  /** The cell's type: `gotcha`, `decision`, … */
  type: string;
  /** The digest as it is, in its order. */
  items: readonly Item[];
  /** The batch, by (epoch, id) ascending; no exact or near-duplicates of each other. */
  observations: readonly Observation[];
  /** UTF-16 units that the digest may have after the merge; `fit` enforces it. */
  budgetUnits: number;
  /** Milliseconds; later epochs are clamped to it. */
  now: number;
}

export type MergeOutcome =
  | { kind: "merged"; operations: readonly Operation[]; usage: Usage; notes?: MergeNotes }
  /** This batch cannot be merged; others may. Digest and watermark stay. `tooLong`: a smaller batch may be merged. */
  | {
      kind: "refused";
      reason: string;
      tooLong?: boolean;
      findings?: readonly string[];
      usage: Usage;
      notes?: MergeNotes;
    }
  /** Nothing can be merged for now (limit, login, credit): the whole run stops. */
  | { kind: "paused"; reason: string; resumeAt?: Date; usage: Usage };

/** What code applies, in order. `from` names observations of the batch, `item` and `items` the request's items. */
export type Operation =
  | { kind: "add"; text: string; from: readonly number[] }
  /** One new text takes the place of the named items (update, merge of several, supersede). */
  | { kind: "rewrite"; items: readonly number[]; text: string; from: readonly number[]; reason?: string }
  | { kind: "confirm"; item: number; from: readonly number[] }
  /** The item leaves for the archive. `from`: the observations that say so, if any. */
  | { kind: "drop"; item: number; reason: string; from?: readonly number[] }
  /** A statement of the batch that an item, or another statement of the batch, supersedes: straight to the archive. */
  | {
      kind: "outdate";
      text: string;
      from: readonly number[];
      reason: string;
      /** The item that takes its place, if it is one already. */
      by?: number;
      /** The observations of the statement that takes its place. */
      heirs?: readonly number[];
    }
  /** Statements, by their number in `statements(observation)`, that rank below what the budget holds. */
  | { kind: "pass"; from: readonly [number]; statements: readonly number[] }
  /** These observations add nothing. */
  | { kind: "skip"; from: readonly number[]; reason: string };

/** For the run's record: what a person could want to see later. */
export interface MergeNotes {
  model?: string;
  promptVersion?: string;
  findings?: readonly string[];
}
