import type { MergeRequest, Operation } from "../merge/merge.ts";
import { oneLine, sentences } from "../text/sentences.ts";
import { overlap } from "../text/similar.ts";
import { type Reading, isOneWord, readText } from "../text/words.ts";
import { isLate, isMergesOwn } from "./apply.ts";
import { ITEM_UNITS, type Item, digestUnits, itemUnits } from "./item.ts";
import type { Observation } from "./observation.ts";

export type GateCode =
  | "unknown-item"
  | "unknown-observation"
  | "unaccounted"
  | "no-source"
  | "invented-token"
  | "lost-hedge"
  | "lost-negation"
  | "shrink"
  | "late-supersede"
  | "pinned-touched"
  | "too-long"
  | "empty-text"
  | "duplicate-op";

export interface GateFinding {
  code: GateCode;
  /** In words that a model can act on. */
  message: string;
  /** Place of the operation in the merge's list. */
  operation?: number;
}

/**
 * What is wrong with a merge's operations, before any of them is applied; nothing if it may be applied.
 * Knows no merge from another: it sees what goes in and what comes out. Texts that stand word for word in
 * their observation pass at the cost of a search.
 */
export function gate(request: MergeRequest, operations: readonly Operation[]): GateFinding[] {
  const known: Known = {
    items: new Map(request.items.map((item) => [item.id, item])),
    observations: new Map(request.observations.map((observation) => [observation.id, observation])),
    epochs: new Map(request.observations.map(({ id, epoch }) => [id, Math.min(epoch, request.now)])),
    sentences: new Map(),
  };
  const findings: GateFinding[] = operations.flatMap((operation, at) =>
    checkOperation(operation, known).map((finding) => ({
      ...finding,
      message: `operation ${at + 1} (${operation.kind}): ${finding.message}`,
      operation: at,
    })),
  );
  const missing = unaccounted(request, operations);
  if (missing.length > 0) {
    findings.push({ code: "unaccounted", message: `no operation names observation ${missing.join(", ")}` });
  }
  return [...findings, ...checkDoubles(operations), ...checkShrink(request, operations, known)];
}

/** Ids of the observations that no operation names. */
export function unaccounted(request: MergeRequest, operations: readonly Operation[]): number[] {
  const named = new Set(operations.flatMap((operation) => operation.from ?? []));
  return request.observations.map(({ id }) => id).filter((id) => !named.has(id));
}

interface Known {
  items: ReadonlyMap<number, Item>;
  observations: ReadonlyMap<number, Observation>;
  epochs: ReadonlyMap<number, number>;
  /** Sentences of the observations that were looked at so far, by id. */
  sentences: Map<number, Reading[]>;
}

type Finding = Pick<GateFinding, "code" | "message">;

function checkOperation(operation: Operation, known: Known): Finding[] {
  const findings = checkIds(operation, known);
  if (findings.length > 0) return findings;
  return [
    ...checkTouched(operation, known),
    ...(operation.kind === "add" || operation.kind === "rewrite" ? checkText(operation, known) : []),
  ];
}

function checkIds(operation: Operation, known: Known): Finding[] {
  const from = operation.from ?? [];
  const items = itemsOf(operation);
  const findings: Finding[] = [
    ...items
      .filter((id) => !known.items.has(id))
      .map((id) => ({ code: "unknown-item" as const, message: `there is no item ${id}` })),
    ...from
      .filter((id) => !known.observations.has(id))
      .map((id) => ({
        code: "unknown-observation" as const,
        message: `observation ${id} is not in this batch`,
      })),
  ];
  const needsSource = operation.kind !== "drop" && (operation.kind !== "rewrite" || items.length === 0);
  if (needsSource && from.length === 0) findings.push({ code: "no-source", message: "names no observation" });
  return findings;
}

function itemsOf(operation: Operation): readonly number[] {
  if (operation.kind === "rewrite") return operation.items;
  if (operation.kind === "drop" || operation.kind === "confirm") return [operation.item];
  return [];
}

function checkTouched(operation: Operation, known: Known): Finding[] {
  if (operation.kind !== "rewrite" && operation.kind !== "drop") return [];
  const supersedes = operation.kind === "drop" || isReason(operation.reason);
  return itemsOf(operation).flatMap((id): Finding[] => {
    const item = known.items.get(id);
    if (item === undefined) return [];
    if (!isMergesOwn(item)) {
      return [
        { code: "pinned-touched", message: `item ${id} is pinned or a person's own and must stay as it is` },
      ];
    }
    if (supersedes && isLate(item, operation.from ?? [], known.epochs)) {
      return [
        {
          code: "late-supersede",
          message: `item ${id} is newer than the observations that would supersede it`,
        },
      ];
    }
    return [];
  });
}

function isReason(reason: string | undefined): reason is string {
  return reason !== undefined && /\p{L}/u.test(reason);
}

function checkText(operation: Extract<Operation, { kind: "add" | "rewrite" }>, known: Known): Finding[] {
  const { text, from } = operation;
  if (text.trim() === "") return [{ code: "empty-text", message: "the text is empty" }];
  const findings: Finding[] = [];
  if (text.length > ITEM_UNITS) {
    findings.push({
      code: "too-long",
      message: `${text.length} units; at most ${ITEM_UNITS}: one fact an item`,
    });
  }
  const items = itemsOf(operation).flatMap((id) => known.items.get(id) ?? []);
  const observations = from.flatMap((id) => known.observations.get(id) ?? []);
  if (isVerbatim(text, observations)) return findings;
  const reading = readWhole(text);
  const inputs = [...items.map((item) => item.text), ...observations.flatMap(fieldsOf)];
  const epochs = [
    ...items.flatMap((item) => [item.firstEpoch, item.lastEpoch]),
    ...from.flatMap((id) => known.epochs.get(id) ?? []),
  ];
  for (const token of new Set(reading.tokens)) {
    if (!isGiven(token, inputs) && !isDerivedDate(token, inputs, epochs)) {
      findings.push({ code: "invented-token", message: `\`${token}\` stands in none of its sources` });
    }
  }
  const said = [
    ...items.flatMap((item) => readSentences(item.text)),
    ...from.flatMap((id) => sentencesOf(id, known)),
  ];
  return [...findings, ...checkCertainty(reading, said)];
}

function fieldsOf({ title, facts, narrative, text, subtitle }: Observation): string[] {
  return [title, ...facts, narrative, text, subtitle];
}

/** Whether a text is made of whole sentences of its observations, perhaps a title with a sentence. */
function isVerbatim(text: string, observations: readonly Observation[]): boolean {
  const fields = observations.flatMap(fieldsOf);
  return text.split(" — ").every((part) => fields.some((field) => holdsWhole(field, part)));
}

/** Whether a field has a text as whole sentences: a part of one may lack its `probably` or `not`. */
function holdsWhole(field: string, text: string): boolean {
  const at = field.indexOf(text);
  if (at < 0) return false;
  const before = field.slice(Math.max(0, at - 3), at).trimEnd();
  const behind = field.slice(at + text.length, at + text.length + 2);
  const opens = before === "" ? at < 3 || field.slice(0, at).trim() === "" : /[.!?。]$/.test(before);
  return opens && (behind === "" || /^[.!?。\n]/.test(behind) || /[.!?。]$/.test(text));
}

function isGiven(token: string, inputs: readonly string[]): boolean {
  return (
    inputs.some((input) => holdsToken(input, token)) ||
    variants(token).some((other) => inputs.some((input) => holdsToken(input, other)))
  );
}

function holdsToken(input: string, token: string): boolean {
  for (let at = input.indexOf(token); at >= 0; at = input.indexOf(token, at + 1)) {
    const end = at + token.length;
    if (
      !isOneWord(input.charAt(at - 1), token.charAt(0)) &&
      !isOneWord(input.charAt(end - 1), input.charAt(end))
    )
      return true;
  }
  return false;
}

/** Spellings that are no invention: `1,000` for `1000`, `30s` for `30 s`, `URLs` for `url`. */
function variants(token: string): string[] {
  const found: string[] = [];
  const [, digits = ""] = /^(\d[\d.,]*)(?:[a-z%]{1,3})?$/iu.exec(token) ?? [];
  if (digits !== "") found.push(digits);
  if (/^[\d,]+$/.test(digits)) {
    const bare = digits.replaceAll(",", "");
    found.push(bare, bare.replaceAll(/\B(?=(?:\d{3})+$)/g, ","));
  }
  if (/^[A-Z]{2,}s?$/.test(token)) {
    const singular = token.replace(/s$/, "");
    found.push(singular, singular.toLowerCase(), `${singular}s`, `${singular.toLowerCase()}s`);
    found.push(singular.charAt(0) + singular.slice(1).toLowerCase());
  }
  return found.filter((other) => other !== token);
}

const DAY = 86_400_000;
const RELATIVE =
  /\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this|past|coming|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i;

/** A date written out: of the observation itself, or near it where the source says `last Friday`. */
function isDerivedDate(token: string, inputs: readonly string[], epochs: readonly number[]): boolean {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(token);
  if (match === null) return false;
  const reach = inputs.some((input) => RELATIVE.test(input)) ? 31 : 1;
  return epochs.some((epoch) => {
    for (let days = -reach; days <= reach; days++) {
      if (isoDay(epoch + days * DAY).startsWith(token)) return true;
    }
    return false;
  });
}

function isoDay(epoch: number): string {
  const date = new Date(epoch);
  return Number.isNaN(date.valueOf()) ? "" : date.toISOString().slice(0, 10);
}

function sentencesOf(id: number, known: Known): Reading[] {
  const cached = known.sentences.get(id);
  if (cached !== undefined) return cached;
  const observation = known.observations.get(id);
  const found = observation === undefined ? [] : fieldsOf(observation).flatMap(readSentences);
  known.sentences.set(id, found);
  return found;
}

/** Sentence by sentence, as the sources are read: a stray sign in one changes nothing in another. */
function readWhole(text: string): Reading {
  const parts = text.split(" — ").flatMap(sentences).map(readText);
  return {
    words: parts.flatMap(({ words }) => words),
    tokens: parts.flatMap(({ tokens }) => tokens),
    negations: parts.flatMap(({ negations }) => negations),
    hedges: parts.reduce((sum, { hedges }) => sum + hedges, 0),
  };
}

function readSentences(text: string): Reading[] {
  const found = sentences(text);
  if (found.length > 1 && text.includes("\n")) found.push(oneLine(text)); // a line break may stand inside a sentence
  return found.map(readText);
}

/** How much of a sentence a text must repeat to be a version of it. */
const RETOLD = 0.6;

/** A doubt or a negation that a sentence has must not be missing where the text tells that sentence. */
function checkCertainty(text: Reading, said: readonly Reading[]): Finding[] {
  const told = said.filter(({ words }) => overlap(text.words, words) >= RETOLD);
  const findings: Finding[] = [];
  if (text.hedges === 0 && isLost(text, told, ({ hedges }) => hedges > 0)) {
    findings.push({
      code: "lost-hedge",
      message: "a source says this only as probable or unverified; the text must, too",
    });
  }
  if (text.negations.length === 0 && isLost(text, told, ({ negations }) => negations.length > 0)) {
    findings.push({ code: "lost-negation", message: "a source says this with a negation, which is missing" });
  }
  return findings;
}

/** Not lost where a sentence without it tells as much of the text: one sure source is enough. */
function isLost(text: Reading, told: readonly Reading[], has: (sentence: Reading) => boolean): boolean {
  const best = (all: readonly Reading[]) =>
    Math.max(0, ...all.map(({ words }) => overlap(words, text.words)));
  const having = told.filter(has);
  return having.length > 0 && best(told.filter((sentence) => !has(sentence))) < best(having);
}

function checkDoubles(operations: readonly Operation[]): GateFinding[] {
  const taken = new Set<number>();
  return operations.flatMap((operation, at): GateFinding[] => {
    if (operation.kind !== "drop" && operation.kind !== "rewrite") return [];
    return itemsOf(operation).flatMap((id): GateFinding[] => {
      if (taken.size < taken.add(id).size) return [];
      return [
        {
          code: "duplicate-op",
          message: `operation ${at + 1} (${operation.kind}): item ${id} was already taken out`,
          operation: at,
        },
      ];
    });
  });
}

/** A merge may take away so much of a digest without saying why. */
const SHRINKS_BY = 0.3;

/** One reason explains one loss: `cleanup` forty times over is how digests collapse. */
function checkShrink(request: MergeRequest, operations: readonly Operation[], known: Known): GateFinding[] {
  const before = digestUnits(request.items);
  const reasons = new Set<string>();
  let lost = 0;
  for (const operation of operations) {
    if (operation.kind !== "drop" && operation.kind !== "rewrite") continue;
    const { reason } = operation;
    if (isReason(reason) && reasons.size < reasons.add(reason.trim().toLowerCase()).size) continue;
    const units = itemsOf(operation).reduce((sum, id) => sum + unitsOf(known.items.get(id)), 0);
    lost += operation.kind === "drop" ? units : Math.max(0, units - operation.text.length - 1);
  }
  if (lost <= before * SHRINKS_BY) return [];
  return [{ code: "shrink", message: `${lost} of ${before} units would go without a reason of their own` }];
}

function unitsOf(item: Item | undefined): number {
  return item === undefined ? 0 : itemUnits(item);
}
