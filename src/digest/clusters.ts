import { type RowPolicy, type SourceRow, factsOf, readAfter, skipReason } from "../source/observations.ts";
import type { Source } from "../source/open.ts";
import { tagsOf } from "../source/tags.ts";
import { estimateTokens } from "../text/tokens.ts";
import { pause } from "../text/pause.ts";
import { OTHER, cellTypes } from "./cell.ts";
import { duplicateKey } from "./duplicates.ts";

/** A source's shape before anything is built: what a build would find, without reading it twice. */
export interface Clusters {
  /** All rows, those left out included. */
  rows: number;
  /** The largest first. */
  projects: ProjectCluster[];
  /** Rows left out, by reason and then by project. */
  skipped: Map<string, Map<string, number>>;
  /** Tags that name no cell, with the rows that have them, the most frequent first. */
  foreignTags: [tag: string, rows: number][];
  /** Rows that go to `other` because no tag of theirs names a cell. */
  untagged: number;
  /** `YYYY-MM` (UTC), ascending; `unknown`, first, for rows without a usable time. */
  months: [month: string, rows: number][];
}

export interface ProjectCluster {
  project: string;
  rows: number;
  /** Estimated, from a sample of its rows. */
  tokens: number;
  /** Rows that say to the letter what another one says. */
  duplicates: number;
  types: Map<string, { rows: number; tokens: number }>;
}

const PAGE_ROWS = 500;
/** Estimating every row would take longer than reading it. */
const SAMPLE_ROWS = 40;

export interface ClusterOptions {
  rows: RowPolicy;
  /** The vocabulary, most specific first. */
  concepts: readonly string[];
  /** Ctrl-C. */
  signal: AbortSignal;
}

/** Reads every row once, in short queries. */
export async function clusterSource(source: Source, options: ClusterOptions): Promise<Clusters> {
  const tally = new Tally(options.rows, options.concepts);
  let last = 0;
  for (
    let page = readAfter(source, last, PAGE_ROWS);
    page.length > 0;
    page = readAfter(source, last, PAGE_ROWS)
  ) {
    for (const row of page) tally.take(row);
    await pause(options.signal);
    last = page.at(-1)?.id ?? last;
  }
  return tally.result();
}

interface ProjectTally {
  rows: number;
  units: number;
  duplicates: number;
  types: Map<string, { rows: number; units: number }>;
  sampled: { rows: number; units: number; tokens: number };
}

class Tally {
  readonly #projects = new Map<string, ProjectTally>();
  readonly #skipped = new Map<string, Map<string, number>>();
  readonly #tags = new Map<string, number>();
  readonly #months = new Map<string, number>();
  readonly #keys = new Set<number>();
  readonly #policy: RowPolicy;
  readonly #concepts: readonly string[];
  readonly #vocabulary: ReadonlySet<string>;
  #rows = 0;
  #untagged = 0;

  constructor(policy: RowPolicy, concepts: readonly string[]) {
    this.#policy = policy;
    this.#concepts = concepts;
    this.#vocabulary = new Set([...concepts, OTHER]);
  }

  take(row: SourceRow): void {
    this.#rows += 1;
    const { project } = this.#policy.place(row.project, row.merged);
    const reason = skipReason(row, this.#policy);
    if (reason !== null)
      return add(
        mapAt(this.#skipped, reason, () => new Map<string, number>()),
        project,
      );
    const concepts = tagsOf(row.concepts);
    const [ownType = ""] = tagsOf(row.type);
    const [type = OTHER] = cellTypes({ type: ownType, concepts }, this.#concepts);
    if (type === OTHER) this.#untagged += 1;
    for (const tag of concepts) if (!this.#vocabulary.has(tag)) add(this.#tags, tag);
    add(this.#months, row.epoch === 0 ? "unknown" : new Date(row.epoch).toISOString().slice(0, 7));
    this.#measure(mapAt(this.#projects, project, emptyProject), type, row, project);
  }

  #measure(tally: ProjectTally, type: string, row: SourceRow, project: string): void {
    const { title, subtitle, narrative, text } = row;
    const facts = factsOf(row.facts);
    const words = [title, subtitle, narrative, text, ...facts];
    const units = words.reduce((sum, part) => sum + part.length, 0);
    tally.rows += 1;
    tally.units += units;
    const cell = mapAt(tally.types, type, () => ({ rows: 0, units: 0 }));
    cell.rows += 1;
    cell.units += units;
    const key = duplicateKey({ project, title, subtitle, narrative, text, facts });
    if (this.#keys.has(key)) tally.duplicates += 1;
    this.#keys.add(key);
    if (tally.sampled.rows >= SAMPLE_ROWS) return;
    tally.sampled.rows += 1;
    tally.sampled.units += units;
    tally.sampled.tokens += estimateTokens(words.join("\n"));
  }

  result(): Clusters {
    return {
      rows: this.#rows,
      projects: [...this.#projects]
        .map(([project, tally]) => clusterOf(project, tally))
        .toSorted((a, b) => b.rows - a.rows),
      skipped: this.#skipped,
      foreignTags: [...this.#tags].toSorted((a, b) => b[1] - a[1]),
      untagged: this.#untagged,
      months: [...this.#months].toSorted(([a], [b]) =>
        a === "unknown" ? -1 : b === "unknown" ? 1 : a < b ? -1 : 1,
      ),
    };
  }
}

function clusterOf(
  project: string,
  { rows, units, duplicates, types, sampled }: ProjectTally,
): ProjectCluster {
  const tokens = (size: number) => Math.round((size * sampled.tokens) / Math.max(1, sampled.units));
  const measured = [...types].map(
    ([type, cell]) => [type, { rows: cell.rows, tokens: tokens(cell.units) }] as const,
  );
  return { project, rows, tokens: tokens(units), duplicates, types: new Map(measured) };
}

function emptyProject(): ProjectTally {
  return { rows: 0, units: 0, duplicates: 0, types: new Map(), sampled: { rows: 0, units: 0, tokens: 0 } };
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function mapAt<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
