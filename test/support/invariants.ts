import { Database } from "bun:sqlite";

/** What the rows of a source should have become: the person's settings, in the test's own words. */
export interface Expectation {
  vocabulary: readonly string[];
  assign: "primary" | "all";
  excluded: readonly string[];
  aliases: ReadonlyMap<string, string>;
  cellBudget: number;
  /** A duplicate that took the place of a deleted row stands in that row's cell until all rows are looked at again. */
  inheritsCells: boolean;
}

interface Row {
  id: number;
  project: string;
  merged: string | null;
  concepts: string;
}

interface Entry {
  id: number;
  cell: string | null;
  outcome: "f" | "d" | "s";
  standsFor: number | null;
  reason: string | null;
}

interface StoredItem {
  id: number;
  cell: string;
  digest: number;
  origin: string;
  sources: number[];
}

/** What does not hold between a source and a store that a build has left as finished, a sentence each. */
export function violations(sourcePath: string, storePath: string, expected: Expectation): string[] {
  const source = new Database(sourcePath, { readonly: true });
  const store = new Database(storePath, { readonly: true });
  try {
    const rows = source
      .query<Row, []>("SELECT id, project, merged_into_project AS merged, concepts FROM observations")
      .all();
    const entries = store
      .query<Entry, []>(
        `SELECT observation_id AS id, projects.name || '/' || type AS cell, outcome, stands_for AS standsFor, reason
         FROM ledger LEFT JOIN digests ON digests.id = digest_id LEFT JOIN projects ON projects.id = digests.project_id`,
      )
      .all();
    return [
      ...ledgerViolations(rows, entries, expected),
      ...standInViolations(entries),
      ...itemViolations(store, entries),
      ...traceViolations(store, entries),
      ...budgetViolations(store, expected.cellBudget),
      ...figureViolations(store),
    ];
  } finally {
    source.close();
    store.close();
  }
}

function ledgerViolations(rows: readonly Row[], entries: readonly Entry[], expected: Expectation): string[] {
  const known = Map.groupBy(entries, (entry) => entry.id);
  const present = new Set(rows.map((row) => row.id));
  const found = [...known.keys()]
    .filter((id) => !present.has(id))
    .map((id) => `the ledger knows #${id}, which is gone`);
  for (const row of rows) {
    const own = known.get(row.id) ?? [];
    const cells = own.map((entry) => entry.cell);
    const wanted = cellsOf(row, expected);
    const told = `#${row.id} is in ${JSON.stringify(own)}, it should be in ${JSON.stringify(wanted)}`;
    if (new Set(cells).size !== cells.length || own.length === 0) found.push(told);
    else if (wanted === null) {
      if (own.length !== 1 || own[0]?.outcome !== "s") found.push(told);
    } else if (
      own.some((entry) => entry.outcome === "s" || entry.cell?.split("/")[0] !== wanted[0]?.split("/")[0])
    )
      found.push(told);
    else if (
      !expected.inheritsCells &&
      own.some((entry) => entry.outcome === "f") &&
      own.some(({ cell }) => !wanted.includes(cell ?? ""))
    )
      found.push(told);
    else if (
      !expected.inheritsCells &&
      own.every((entry) => entry.outcome === "f") &&
      own.length !== wanted.length
    )
      found.push(told);
  }
  return found;
}

/** `project/type` of each cell; `null`: it is left out. */
function cellsOf(row: Row, { vocabulary, assign, excluded, aliases }: Expectation): string[] | null {
  const own = row.merged || row.project;
  const project = aliases.get(own) ?? own;
  if ([row.project, row.merged, project].some((name) => excluded.includes(name ?? ""))) return null;
  const tags: string[] = JSON.parse(row.concepts);
  const types = vocabulary.filter((type) => tags.includes(type));
  if (types.length === 0) types.push("other");
  return (assign === "all" ? types : types.slice(0, 1)).map((type) => `${project}/${type}`);
}

/** A duplicate stands with a row that was folded into the same cell. */
function standInViolations(entries: readonly Entry[]): string[] {
  const folded = new Set(
    entries.filter(({ outcome }) => outcome === "f").map(({ id, cell }) => `${id} ${cell}`),
  );
  return entries
    .filter(({ outcome, standsFor, cell }) => outcome === "d" && !folded.has(`${standsFor} ${cell}`))
    .map((entry) => `nobody stands for the duplicate ${JSON.stringify(entry)}`);
}

function itemViolations(store: Database, entries: readonly Entry[]): string[] {
  const known = new Set(
    entries.filter(({ outcome }) => outcome !== "s").map(({ id, cell }) => `${id} ${cell}`),
  );
  return itemsOf(store).flatMap(({ id, cell, origin, sources }) => [
    ...(origin === "merged" && sources.length === 0 ? [`item ${id} stands on nothing`] : []),
    ...sources
      .filter((source) => !known.has(`${source} ${cell}`))
      .map((source) => `item ${id} of ${cell} stands on #${source}, which is not there`),
  ]);
}

/** What was folded stands in an item, or the archive says where it went, or the ledger why it is nowhere. */
function traceViolations(store: Database, entries: readonly Entry[]): string[] {
  const traced = new Set([
    ...itemsOf(store).flatMap(({ cell, sources }) => sources.map((source) => `${source} ${cell}`)),
    ...store
      .query<{ trace: string }, []>(
        `SELECT coalesce(archive.observation_id, item_sources.observation_id) || ' ' || projects.name || '/' || type AS trace
         FROM archive JOIN digests ON digests.id = archive.digest_id JOIN projects ON projects.id = digests.project_id
              LEFT JOIN item_sources ON item_sources.item_id = archive.item_id`,
      )
      .all()
      .map(({ trace }) => trace),
  ]);
  return entries
    .filter(
      ({ id, cell, outcome, reason }) => outcome === "f" && reason === null && !traced.has(`${id} ${cell}`),
    )
    .map((entry) => `nothing tells where ${JSON.stringify(entry)} went`);
}

function itemsOf(store: Database): StoredItem[] {
  return store
    .query<Omit<StoredItem, "sources"> & { sources: string }, []>(
      `SELECT items.id, digest_id AS digest, projects.name || '/' || type AS cell, origin,
              (SELECT json_group_array(observation_id) FROM item_sources WHERE item_id = items.id) AS sources
       FROM items JOIN digests ON digests.id = digest_id JOIN projects ON projects.id = project_id`,
    )
    .all()
    .map((item) => ({ ...item, sources: JSON.parse(item.sources) }));
}

function budgetViolations(store: Database, cellBudget: number): string[] {
  return store
    .query<{ id: number; units: number; stored: number }, []>(
      `SELECT digests.id, units AS stored, coalesce((SELECT sum(length(text) + 1) FROM items WHERE digest_id = digests.id), 0) AS units
       FROM digests`,
    )
    .all()
    .filter(({ units, stored }) => units !== stored || units > cellBudget)
    .map((digest) => `the size of ${JSON.stringify(digest)} is wrong or over ${cellBudget}`);
}

function figureViolations(store: Database): string[] {
  return store
    .query<{ name: string; observations: number; behind: number; rows: number }, []>(
      `SELECT name, observations, behind,
              (SELECT count(DISTINCT observation_id) FROM ledger WHERE project_id = projects.id AND outcome <> 's') AS rows
       FROM projects`,
    )
    .all()
    .filter(({ observations, behind, rows }) => observations !== rows || behind !== 0)
    .map((project) => `the figures of ${JSON.stringify(project)} are wrong`);
}
