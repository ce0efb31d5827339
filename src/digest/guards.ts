import type { Withdrawal } from "./plan.ts";

/** What a survey says is gone from the source, against what was known. */
export interface Vanishing {
  withdrawals: readonly Withdrawal[];
  /** Project of a known observation, by id; undefined for one that is not in the ledger. */
  projectOf: (observationId: number) => number | undefined;
  /** Known rows, by project. */
  known: ReadonlyMap<number, number>;
  /** The source's greatest id is below the greatest that was seen in it. */
  maxIdFell: boolean;
  /** The source could only be opened in a way that may miss rows. */
  degraded: boolean;
}

/** Over this share of a project's rows, and over this number of them, a loss is a damaged source until somebody says otherwise. */
const LOSS_SHARE = 0.05;
export const LOSS_ROWS = 20;

/**
 * Why deletions must not be believed, or `null`: a damaged, half-read or restored file looks like one
 * whose rows were deleted, and would empty the digests.
 */
export function doubtDeletions(vanishing: Vanishing): string | null {
  const gone = vanishing.withdrawals.filter(({ why }) => why !== "moved");
  if (gone.length === 0) return null;
  if (vanishing.degraded)
    return `${gone.length} known rows are missing, but the source could not be opened normally`;
  if (vanishing.maxIdFell)
    return `${gone.length} known rows are missing and the source's greatest id fell: it looks like an older copy`;
  const lost = Map.groupBy(gone, ({ observationId }) => vanishing.projectOf(observationId));
  for (const [project, rows] of lost) {
    const known = (project === undefined ? undefined : vanishing.known.get(project)) ?? rows.length;
    if (rows.length > LOSS_ROWS && rows.length > known * LOSS_SHARE) {
      return `${rows.length} of ${known} known rows of one project vanished at once`;
    }
  }
  return null;
}
