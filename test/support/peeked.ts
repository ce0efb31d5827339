import type { Peeked, PeekedCell, PeekedItem, PeekedProject } from "../../src/store/peek.ts";

/** Values as `peekDigests` brings them, from the few fields that a case is about. */
export function peekedItem(id: number, given: Partial<PeekedItem> = {}): PeekedItem {
  const sources = given.sources ?? [id];
  return {
    id,
    text: `note ${id}`,
    sources,
    sourceCount: sources.length,
    firstEpoch: DAY,
    lastEpoch: DAY,
    confirmations: 0,
    pinned: false,
    origin: "merged",
    rank: 1,
    ...given,
  };
}

export function peekedCell(
  type: string,
  items: readonly PeekedItem[],
  given: Partial<PeekedCell> = {},
): PeekedCell {
  return {
    digestId: 1,
    type,
    revision: 1,
    updatedAt: DAY + 1000,
    watermark: { id: 1, epoch: DAY },
    units: items.reduce((sum, item) => sum + item.text.length + 1, 0),
    behind: 0,
    count: items.length,
    items: items.toSorted((a, b) => b.rank - a.rank || b.id - a.id),
    ...given,
  };
}

export function peekedProject(
  name: string,
  cells: readonly PeekedCell[],
  given: Partial<PeekedProject> = {},
): PeekedProject {
  return {
    name,
    observations: 100,
    rawTokens: 1_000_000,
    recent50Tokens: 0,
    recent50Rows: 0,
    behind: 0,
    cells,
    ...given,
  };
}

export function peeked(...projects: readonly PeekedProject[]): Peeked {
  return { kind: "peeked", names: projects.map((project) => project.name), projects };
}

/** 2026-05-03, noon. */
export const DAY = Date.UTC(2026, 4, 3, 12);
