import { estimateMergeCall } from "../merge/prompt.ts";
import type { Usage } from "../model/model.ts";
import { listCost } from "../model/prices.ts";
import { type PlannedCell, batchesOf } from "./plan.ts";

export interface EstimateOptions {
  maxRows: number;
  cellBudget: number;
  /** The provider's name of the model; null: no model is asked. */
  model: string | null;
}

export interface CellEstimate extends Usage {
  project: string;
  type: string;
  rows: number;
  batches: number;
  /** Rough tokens of the rows themselves. */
  rowTokens: number;
}

/**
 * What folding the cells would take if every batch is one call. A digest that starts empty is reckoned
 * as half full on average: it fills within a few batches.
 */
export function estimateCells(cells: readonly PlannedCell[], options: EstimateOptions): CellEstimate[] {
  return cells.map((cell) => {
    const batches = batchesOf(cell, options.maxRows);
    const rows = batches.flatMap((batch) => batch.rows);
    const base = {
      project: cell.project,
      type: cell.type,
      rows: rows.length,
      batches: batches.length,
      rowTokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    };
    if (options.model === null) return { ...base, calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
    const asked = batches.filter((batch) => batch.rows.length > 0);
    const tokens = asked
      .map((batch, number) =>
        estimateMergeCall({
          rows: batch.rows.length,
          rowTokens: batch.rows.reduce((sum, row) => sum + row.tokens, 0),
          digestUnits: number === 0 ? options.cellBudget / 2 : options.cellBudget,
        }),
      )
      .reduce(
        (a, b) => ({
          inputTokens: a.inputTokens + b.inputTokens,
          outputTokens: a.outputTokens + b.outputTokens,
        }),
        {
          inputTokens: 0,
          outputTokens: 0,
        },
      );
    return { ...base, calls: asked.length, ...tokens, costUsd: listCost(options.model, tokens) };
  });
}
