import { Exit, UserError } from "../errors.ts";
import {
  MARKS,
  type Mark,
  type Mass,
  addMass,
  changedRevisions,
  fingerprint,
  identity,
  massOf,
  recognise,
  shape,
} from "../source/changes.ts";
import { type SourceRow, readByIds } from "../source/observations.ts";
import type { Source } from "../source/open.ts";
import {
  allLedgerIds,
  ensureTitleIndex,
  knownCountByProject,
  ledgerOf,
  newestKnown,
  projectOfObservation,
} from "../store/ledger.ts";
import { readMeta, writeMeta } from "../store/meta.ts";
import type { Store } from "../store/open.ts";
import { type GroundOptions, surveyGround } from "./ground.ts";
import { LOSS_ROWS, doubtDeletions } from "./guards.ts";
import { type Ground, type Survey, keepingKnown, survey } from "./survey.ts";

export interface InspectOptions {
  source: Source;
  store: Store;
  /** How rows are read; `policy` is the same as one text, to notice that it changed. */
  reading: Omit<GroundOptions, "onRow">;
  policy: string;
  /** Look at every row again. */
  rescan: boolean;
  acceptDeletions: boolean;
  adoptSource: boolean;
  /** From which id on changed tags are looked for. */
  revisionCursor: number;
}

/** What is to do, and what to remember of the source when all of it was done. */
export interface Inspection {
  survey: Survey;
  /** Why known rows that vanished are kept all the same. */
  doubt: string | null;
  memory: { identity: string; through: number; shape: string; policy: string };
  revisionCursor: number;
}

/**
 * Looks for everything that a build has to do. Reads only the rows behind those already accounted for,
 * unless something says that known ones changed: another policy, moved or missing rows (counts by
 * project), other words under a known id. Then all rows are read again and compared.
 *
 * Throws when the source is not the one that the store was built from.
 */
export async function inspect(options: InspectOptions): Promise<Inspection> {
  const { source, store, reading } = options;
  ensureTitleIndex(store); // a backfill that was cut off has left it out
  const adopted = adoptOrRefuse(options);
  const known = adopted ? EMPTY_MEMORY : readMemory(store);
  const now = shape(source);
  const tally = new Map<string, Mass>(known.shape);
  const late = new Map<string, Mass>(); // committed since `now` was asked for
  const onRow = (row: SourceRow) =>
    addMass(row.id <= now.maxId ? tally : late, row.merged || row.project, massOf(row.id));
  const ground = surveyGround(source, store, { ...reading, onRow });
  const usable: Ground = adopted ? { ...ground, ledger: () => [], stored: () => [] } : ground;
  let everything =
    adopted || options.rescan || known.policy !== options.policy || newestChanged(source, store);
  if (everything) tally.clear();
  const changed = everything ? null : changedTags(source, store, options.revisionCursor, known.through);
  let found = await survey(usable, everything ? 0 : known.through, changed?.rows);
  if (!everything && !sameMasses(tally, now.projects)) {
    everything = true;
    tally.clear();
    late.clear();
    found = await survey(usable, 0);
  }
  if (adopted)
    found.withdrawals = allLedgerIds(store).map((observationId) => ({ observationId, why: "replaced" }));
  const doubt = adopted || options.acceptDeletions ? null : doubtOf(store, source, found, now.maxId);
  if (doubt !== null) found = keepingKnown(found);
  for (const [name, mass] of late) addMass(tally, name, mass);
  return {
    survey: found,
    doubt,
    revisionCursor: everything ? 0 : (changed?.cursor ?? 0),
    memory: {
      identity: JSON.stringify(marksOf(source, known.identity)),
      through: found.through,
      shape: JSON.stringify([...tally].map(([name, { count, sum, moment }]) => [name, count, sum, moment])),
      policy: options.policy,
    },
  };
}

/** Keeps in mind how the source was left, for the next inspection. Inside `store.write`. */
export function remember(store: Store, memory: Partial<Inspection["memory"]>): void {
  writeMeta(store, {
    ...(memory.identity === undefined ? {} : { "source-identity": memory.identity }),
    ...(memory.through === undefined ? {} : { "scanned-through": String(memory.through) }),
    ...(memory.shape === undefined ? {} : { "source-shape": memory.shape }),
    ...(memory.policy === undefined ? {} : { policy: memory.policy }),
  });
}

interface Memory {
  identity: Mark[];
  through: number;
  shape: Map<string, Mass>;
  policy: string;
}

const EMPTY_MEMORY: Memory = { identity: [], through: 0, shape: new Map(), policy: "" };

/** What we wrote ourselves, so no more than JSON is checked. */
function readMemory(store: Store): Memory {
  const masses = JSON.parse(readMeta(store, "source-shape") ?? "[]") as [string, number, number, number][];
  return {
    identity: JSON.parse(readMeta(store, "source-identity") ?? "[]") as Mark[],
    through: Number(readMeta(store, "scanned-through") ?? 0),
    shape: new Map(masses.map(([name, count, sum, moment]) => [name, { count, sum, moment }])),
    policy: readMeta(store, "policy") ?? "",
  };
}

/** True: the store starts anew with this source. */
function adoptOrRefuse(options: InspectOptions): boolean {
  const { source, store, adoptSource } = options;
  if (!isOther(options)) return false;
  if (adoptSource) return true;
  throw new UserError({
    code: "other-source",
    message: `${source.path} is not the database that ${store.path} was built from`,
    hint: "give this one a store of its own with DIGEST_DB=…, or let the store start anew with --adopt-source",
    exit: Exit.refused,
  });
}

/** Where all marked rows are gone, the others that are known say whose the source is. */
function isOther({ source, store, acceptDeletions }: InspectOptions): boolean {
  const { identity: marks } = readMemory(store);
  const verdict = marks.length === 0 ? "unknown" : recognise(source, marks);
  if (verdict !== "unknown") return verdict === "other";
  if (identity(source).length === 0) return false;
  const ids = allLedgerIds(store);
  const isSame = sharesWords(source, store, ids);
  return isSame === null ? ids.length > LOSS_ROWS && !acceptDeletions : !isSame;
}

const SAMPLE_ROWS = 500;

/** Whether some known row is there as it was known; null: not one of them is there at all. */
function sharesWords(source: Source, store: Store, ids: readonly number[]): boolean | null {
  let found = 0;
  for (let at = 0; at < ids.length; at += SAMPLE_ROWS) {
    const sample = ids.slice(at, at + SAMPLE_ROWS);
    const known = new Map(ledgerOf(store, sample).map((row) => [row.observationId, row.fingerprint]));
    const rows = readByIds(source, sample);
    if (rows.some((row) => known.get(row.id) === fingerprint(row))) return true;
    found += rows.length;
  }
  return found > 0 ? false : null;
}

/** A source that was small when it was first seen is marked by more rows as it grows. */
function marksOf(source: Source, known: readonly Mark[]): readonly Mark[] {
  const isEnough = known.length >= MARKS && recognise(source, known) === "same";
  return isEnough ? known : identity(source);
}

const NEWEST_SAMPLE = 16;

/** A restored database that went on: ids that we know, with other words. */
function newestChanged(source: Source, store: Store): boolean {
  const known = new Map(newestKnown(store, NEWEST_SAMPLE).map((row) => [row.observationId, row.fingerprint]));
  return readByIds(source, [...known.keys()]).some((row) => known.get(row.id) !== fingerprint(row));
}

/** Rows a run that are asked for changed tags: all of them come round in time, and a run stays short. */
const REVISION_WINDOW = 50_000;

function changedTags(
  source: Source,
  store: Store,
  from: number,
  through: number,
): { rows: SourceRow[]; cursor: number } {
  if (through === 0) return { rows: [], cursor: 0 };
  const start = from >= through ? 1 : from + 1;
  const end = Math.min(through, start + REVISION_WINDOW - 1);
  const revisions = changedRevisions(source, start, end);
  const known = new Map(
    ledgerOf(store, [...revisions.keys()]).map((row) => [row.observationId, row.sourceRevision ?? 1]),
  );
  const changed = [...revisions].filter(([id, revision]) => known.has(id) && known.get(id) !== revision);
  return {
    rows: readByIds(
      source,
      changed.map(([id]) => id),
    ),
    cursor: end,
  };
}

function sameMasses(a: ReadonlyMap<string, Mass>, b: ReadonlyMap<string, Mass>): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, mass]) => {
    const other = b.get(name);
    return (
      other !== undefined &&
      mass.count === other.count &&
      mass.sum === other.sum &&
      mass.moment === other.moment
    );
  });
}

function doubtOf(store: Store, source: Source, found: Survey, maxId: number): string | null {
  if (found.withdrawals.length === 0) return null;
  return doubtDeletions({
    withdrawals: found.withdrawals,
    projectOf: (id) => projectOfObservation(store, id),
    known: knownCountByProject(store),
    maxIdFell: maxId < (newestKnown(store, 1)[0]?.observationId ?? 0),
    degraded: source.degraded,
  });
}
