import type { Observation } from "../digest/observation.ts";
import { cleanName, cleanText, isClean } from "../text/clean.ts";
import { mayHoldSecret, redact } from "../text/redact.ts";
import { clipUnits } from "../text/units.ts";
import { LAST_ID } from "./columns.ts";
import type { Source } from "./open.ts";
import type { Place } from "./projects.ts";
import { normaliseTag, tagsOf } from "./tags.ts";
import { epochOf, revisionOf, stringsOf, textOf } from "./values.ts";

/**
 * A row as it stands, its values brought to one type and nothing else done: cheap enough for a million.
 * Secrets are still in it; only `toObservation` gives something to keep.
 */
export interface SourceRow {
  id: number;
  /** `project` and `merged_into_project`, as written. */
  project: string;
  merged: string;
  type: string;
  /** As written: mostly a JSON array. `tagsOf` reads it. */
  concepts: string;
  title: string;
  subtitle: string;
  narrative: string;
  /** As written: mostly a JSON array. */
  facts: string;
  text: string;
  /** Milliseconds; 0 where the row has no usable time. */
  epoch: number;
  /** `sync_rev`; 1 where it is missing. */
  syncRev: number;
}

export type SkipReason = "excluded-project" | "junk-project" | "sensitive" | "excluded-type" | "empty";

/** What decides about a row apart from the row. */
export interface RowPolicy {
  place: Place;
  /** claude-mem types to leave out, normalised as tags are. */
  excludedTypes: ReadonlySet<string>;
}

export interface Masked {
  observation: Observation;
  /** Secrets that were masked in it. */
  masked: number;
}

/** At most so many UTF-16 units of a field go into an observation; facts end where they reach it together. */
export const FIELD_UNITS = 12_000;
const MOST_FACTS = 200;
const TYPE_UNITS = 60;
const CUT = "… [the rest is cut]";
const IDS_A_QUERY = 500;

/** The next rows by id, at most `limit`; none: there are no more. */
export function readAfter(source: Source, id: number, limit: number): SourceRow[] {
  const { id: key, select } = source.columns;
  return source
    .all<RawRow>(
      `SELECT ${select} FROM observations WHERE ${key} BETWEEN ? AND ${LAST_ID} ORDER BY ${key} LIMIT ?`,
      Math.max(id, 0) + 1,
      limit,
    )
    .map(toRow);
}

/** The rows with these ids, by id; rows that are gone are missing. */
export function readByIds(source: Source, ids: readonly number[]): SourceRow[] {
  const { id: key, select } = source.columns;
  const sql = `SELECT ${select} FROM observations WHERE ${key} IN (SELECT value FROM json_each(?))`;
  const rows: SourceRow[] = [];
  for (let at = 0; at < ids.length; at += IDS_A_QUERY) {
    const chunk = source.all<RawRow>(sql, JSON.stringify(ids.slice(at, at + IDS_A_QUERY)));
    for (const row of chunk) rows.push(toRow(row));
  }
  return rows.toSorted((a, b) => a.id - b.id);
}

interface RawRow extends Record<Exclude<keyof SourceRow, "id">, unknown> {
  /** The rowid, which SQLite guarantees to be a whole number. */
  id: number;
}

function toRow(row: RawRow): SourceRow {
  return {
    id: row.id,
    project: textOf(row.project),
    merged: textOf(row.merged),
    type: textOf(row.type),
    concepts: textOf(row.concepts),
    title: textOf(row.title),
    subtitle: textOf(row.subtitle),
    narrative: textOf(row.narrative),
    facts: textOf(row.facts),
    text: textOf(row.text),
    epoch: epochOf(row.epoch),
    syncRev: revisionOf(row.syncRev),
  };
}

export function rowPolicy(place: Place, excludedTypes: readonly string[]): RowPolicy {
  return { place, excludedTypes: new Set(excludedTypes.map(normaliseTag)) };
}

/** Why a row is left out, `null` where it is not; one reason a row, what was asked for first. */
export function skipReason(row: SourceRow, policy: RowPolicy): SkipReason | null {
  const { skip } = policy.place(row.project, row.merged);
  if (skip !== null) return skip;
  const type = tagsOf(row.type).find((each) => policy.excludedTypes.has(each));
  if (type !== undefined) return type === "sensitive" ? "sensitive" : "excluded-type";
  return isEmpty(row) ? "empty" : null;
}

const VISIBLE = /[^\s\p{Cc}]/u;

function isEmpty(row: SourceRow): boolean {
  if ([row.title, row.narrative, row.subtitle, row.text].some((text) => VISIBLE.test(text))) return false;
  return !factsOf(row.facts).some((fact) => VISIBLE.test(fact));
}

/** The row as the rest of the program may see it: its project resolved, bounded, without secrets. */
export function toObservation(row: SourceRow, policy: RowPolicy): Masked {
  const texts = withoutSecrets(row);
  return {
    observation: {
      id: row.id,
      project: policy.place(row.project, row.merged).project,
      type: typeOf(row.type),
      concepts: tagsOf(row.concepts),
      title: bounded(texts.title),
      subtitle: bounded(texts.subtitle),
      narrative: bounded(texts.narrative),
      facts: boundedFacts(texts.facts),
      text: bounded(texts.text),
      epoch: row.epoch,
    },
    masked: texts.masked,
  };
}

/** An array's or object's strings, else the text as the one fact. */
export function factsOf(facts: string): string[] {
  return stringsOf(facts) ?? (facts === "" ? [] : [facts]);
}

interface Texts {
  title: string;
  subtitle: string;
  narrative: string;
  text: string;
  facts: readonly string[];
}

/** Cleaned and masked, before anything is cut: half a secret fits no pattern. */
function withoutSecrets({
  title,
  subtitle,
  narrative,
  text,
  facts: raw,
}: SourceRow): Texts & { masked: number } {
  const facts = factsOf(raw);
  // As JSON they are one string to look at; escapes other than that of a quote could hide something in it.
  const factsSuspect = /\\[^"]/.test(raw) ? facts.some(isSuspect) : isSuspect(raw);
  if (!factsSuspect && ![title, subtitle, narrative, text].some(isSuspect)) {
    return { title, subtitle, narrative, text, facts, masked: 0 };
  }
  let masked = 0;
  const mask = (value: string): string => {
    const redaction = redact(cleanText(value));
    masked += redaction.masked;
    return redaction.text;
  };
  const texts = {
    title: mask(title),
    subtitle: mask(subtitle),
    narrative: mask(narrative),
    text: mask(text),
    facts: facts.map(mask),
  };
  return { ...texts, masked };
}

/** Nearly no text is; this is most of what reading a row costs. */
function isSuspect(text: string): boolean {
  return text !== "" && (!isClean(text) || mayHoldSecret(text));
}

const types = new Map<string, string>();

/** There are a few dozen; a foreign table with a type of its own for every row is forgotten as it comes. */
function typeOf(type: string): string {
  let name = types.get(type);
  if (name === undefined) {
    name = redact(cleanName(type, TYPE_UNITS)).text.toLowerCase();
    if (types.size >= 1000) types.clear();
    types.set(type, name);
  }
  return name;
}

function bounded(text: string): string {
  return text.length <= FIELD_UNITS ? text : `${clipUnits(text, FIELD_UNITS - CUT.length)}${CUT}`;
}

function boundedFacts(facts: readonly string[]): string[] {
  const kept: string[] = [];
  let units = 0;
  for (const fact of facts) {
    if (!VISIBLE.test(fact)) continue;
    if (kept.length === MOST_FACTS || units >= FIELD_UNITS) return [...kept, CUT];
    kept.push(bounded(fact));
    units += fact.length;
  }
  return kept;
}
