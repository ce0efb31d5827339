import { fingerprint } from "../source/changes.ts";
import {
  type RowPolicy,
  type SourceRow,
  factsOf,
  readAfter,
  readByIds,
  skipReason,
} from "../source/observations.ts";
import type { Source } from "../source/open.ts";
import { allDigests } from "../store/digests.ts";
import { knowsAny, ledgerBetween, standInsTitled } from "../store/ledger.ts";
import type { Store } from "../store/open.ts";
import { roughTokens } from "../text/tokens.ts";
import { pause } from "../text/pause.ts";
import { cellTypes } from "./cell.ts";
import { duplicateKey, titleKey } from "./duplicates.ts";
import type { Cell, PlannedRow } from "./plan.ts";
import type { Ground, Place } from "./survey.ts";
import { tagsOf } from "../source/tags.ts";

export interface GroundOptions {
  rows: RowPolicy;
  concepts: readonly string[];
  assign: "primary" | "all";
  /** Whether a row of that time (milliseconds) is left for later. */
  isUnsettled: (epoch: number) => boolean;
  /** Sees every row that a page brings. */
  onRow: (row: SourceRow) => void;
  /** Ctrl-C. */
  signal: AbortSignal;
}

const PAGE_ROWS = 500;

/** The survey's ground: a real source and a real store. */
export function surveyGround(source: Source, store: Store, options: GroundOptions): Ground {
  const cells = new Map<number, Cell>(
    allDigests(store).map(({ id, project, type }) => [id, { project, type }]),
  );
  return {
    page: async (after) => {
      await pause(options.signal);
      const rows = readAfter(source, after, PAGE_ROWS);
      rows.forEach(options.onRow);
      return rows;
    },
    place: (row) => placeOf(row, options),
    planned: (row) => plannedRow(row, options.rows),
    fingerprint,
    ledger: (from, to) => ledgerBetween(store, from, to),
    stored: knowsAny(store) ? (key) => standInsTitled(store, key) : () => [],
    sameKey: (row) =>
      duplicateKey({ ...row, project: projectOf(row, options.rows), facts: factsOf(row.facts) }),
    rows: (ids) => readByIds(source, ids),
    cellOf: (digestId) => cells.get(digestId),
  };
}

function projectOf(row: SourceRow, policy: RowPolicy): string {
  return policy.place(row.project, row.merged).project;
}

function placeOf(row: SourceRow, options: GroundOptions): Place {
  const project = projectOf(row, options.rows);
  const reason = skipReason(row, options.rows);
  if (reason !== null) return { kind: "skip", project, reason };
  if (options.isUnsettled(row.epoch)) return { kind: "later", project };
  const [type = ""] = tagsOf(row.type);
  const tags = { type, concepts: tagsOf(row.concepts) };
  return { kind: "cells", project, types: cellTypes(tags, options.concepts, options.assign) };
}

function plannedRow(row: SourceRow, policy: RowPolicy): PlannedRow {
  const { id, title, subtitle, narrative, text, syncRev } = row;
  return {
    id,
    fingerprint: fingerprint(row),
    titleKey: titleKey(projectOf(row, policy), title),
    units: title.length + subtitle.length + narrative.length + text.length + row.facts.length,
    tokens: roughTokens(title) + roughTokens(narrative) + roughTokens(row.facts) + roughTokens(text),
    sourceRevision: syncRev === 1 ? null : syncRev,
  };
}
