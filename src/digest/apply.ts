import type { MergeRequest, Operation } from "../merge/merge.ts";
import type { Item } from "./item.ts";
import { pieces } from "./statements.ts";

export interface Applied {
  /** In digest order, not yet fitted to the budget. */
  items: Item[];
  /** What operations took out, with why. */
  left: Departed[];
  /** Statements that never became items, by their numbers; the observation still has them. */
  passed: { observationId: number; statements: readonly number[] }[];
  /** Every observation that an operation named. */
  accounted: Map<number, Account>;
  nextItemId: number;
}

export interface Departed {
  item: Item;
  kind: "superseded" | "dropped" | "rewritten";
  reason: string | null;
  replacedBy?: number;
}

export type Account = { kind: "folded" } | { kind: "skipped"; reason: string };

/**
 * Applies a merge's operations, in order: the same request and operations give the same digest. New items
 * get ascending ids from `nextItemId` on; a rewritten text takes the place of the first item that it is
 * made from, an added one stands at the end.
 *
 * Whatever the operations say: what is pinned or was not written by a merge stays as it is, and
 * so does an item that is newer than the observations that would supersede it.
 */
export function apply(request: MergeRequest, operations: readonly Operation[], nextItemId: number): Applied {
  const work: Work = {
    epochs: new Map(request.observations.map(({ id, epoch }) => [id, Math.min(epoch, request.now)])),
    places: request.items.map((item) => [item]),
    placeOf: new Map(request.items.map((item, at) => [item.id, at])),
    left: [],
    heirless: [],
    made: [],
    passed: [],
    accounted: new Map(),
    nextItemId,
  };
  for (const operation of operations) {
    applyOne(work, operation);
    account(work, operation);
  }
  for (const orphan of work.heirless) inherit(work, orphan);
  const { left, passed, accounted } = work;
  return { items: work.places.flat(), left, passed, accounted, nextItemId: work.nextItemId };
}

/** Whether a merge may drop or reword an item. */
export function isMergesOwn(item: Item): boolean {
  return !item.pinned && item.origin === "merged";
}

/** Whether some item says something newer than all of these observations do. */
export function isLate(item: Item, from: readonly number[], epochs: ReadonlyMap<number, number>): boolean {
  const known = from.flatMap((id) => epochs.get(id) ?? []);
  return known.length > 0 && Math.max(...known) < item.lastEpoch;
}

interface Work {
  /** Of the batch, never in the future. */
  epochs: ReadonlyMap<number, number>;
  /** The digest's places in order; a place may have become empty, or hold the pieces of a long text. */
  places: Item[][];
  placeOf: Map<number, number>;
  left: Departed[];
  /** Superseded items whose successor is not known yet. */
  heirless: { departed: Departed; from: readonly number[]; madeBefore: number }[];
  /** Items that came, changed or were confirmed, in the order of the operations. */
  made: { id: number; from: readonly number[] }[];
  passed: Applied["passed"];
  accounted: Map<number, Account>;
  nextItemId: number;
}

function applyOne(work: Work, operation: Operation): void {
  switch (operation.kind) {
    case "add":
      return add(work, operation.text, operation.from);
    case "rewrite":
      return rewrite(work, operation);
    case "confirm":
      return confirm(work, operation.item, operation.from);
    case "drop":
      return drop(work, operation);
    case "outdate": {
      const [item] = newItems(work, operation.text, ancestry([], operation.from, work));
      if (item !== undefined)
        depart(work, item, operation.reason, operation.heirs ?? operation.from, operation.by);
      return;
    }
    case "pass":
      work.passed.push({ observationId: operation.from[0], statements: operation.statements });
      return;
    case "skip":
      return;
  }
}

function add(work: Work, text: string, from: readonly number[]): void {
  const lineage = ancestry([], from, work);
  if (lineage.sources.length === 0) return; // nothing stands in a digest that cannot be traced
  place(work, work.places.length, newItems(work, text, lineage), from);
}

function rewrite(work: Work, { items, text, from, reason }: Extract<Operation, { kind: "rewrite" }>): void {
  const named = [...new Set(items)].flatMap((id) => itemsAt(work, id)).filter(isMergesOwn);
  const supersedes = reason !== undefined && reason.trim() !== "";
  const newer = supersedes ? named.find((item) => isLate(item, from, work.epochs)) : undefined;
  if (newer !== undefined) {
    const [late] = newItems(work, text, ancestry([], from, work));
    if (late !== undefined) depart(work, late, "an item is newer", from, newer.id);
    return;
  }
  const first = named[0];
  if (first === undefined) return add(work, text, from);
  const lineage = ancestry(named, from, work);
  if (supersedes) lineage.confirmations = confirmationsOf(named); // to say something else is not to confirm
  const made = newItems(work, text, lineage);
  const replacedBy = made[0]?.id;
  if (replacedBy === undefined) return;
  const at = work.placeOf.get(first.id) ?? work.places.length;
  for (const item of named) {
    remove(work, item);
    work.left.push({
      item,
      kind: supersedes ? "superseded" : "rewritten",
      reason: reason ?? null,
      replacedBy,
    });
  }
  place(work, at, made, from);
}

function confirm(work: Work, id: number, from: readonly number[]): void {
  const [item] = itemsAt(work, id);
  if (item === undefined) return;
  const at = work.placeOf.get(id) as number;
  const lineage = ancestry([item], from, work);
  work.places[at] = (work.places[at] ?? []).map((other) =>
    other === item ? { ...item, ...lineage } : other,
  );
  work.made.push({ id: item.id, from });
}

function drop(work: Work, { item: id, reason, from = [] }: Extract<Operation, { kind: "drop" }>): void {
  const [item] = itemsAt(work, id);
  if (item === undefined || !isMergesOwn(item) || isLate(item, from, work.epochs)) return;
  remove(work, item);
  if (from.length > 0) depart(work, item, reason, from);
  else work.left.push({ item, kind: "dropped", reason });
}

function depart(work: Work, item: Item, reason: string, from: readonly number[], by?: number): void {
  const departed: Departed = { item, kind: "superseded", reason };
  work.left.push(departed);
  if (by === undefined) work.heirless.push({ departed, from, madeBefore: work.made.length });
  else departed.replacedBy = by;
}

/** The successor is the next item that came from one of the observations that say so, else one before. */
function inherit(work: Work, { departed, from, madeBefore }: Work["heirless"][number]): void {
  const shares = ({ from: others }: { from: readonly number[] }) => others.some((id) => from.includes(id));
  const heir = work.made.slice(madeBefore).find(shares) ?? work.made.slice(0, madeBefore).findLast(shares);
  if (heir !== undefined) departed.replacedBy = heir.id;
}

function itemsAt(work: Work, id: number): Item[] {
  return (work.places[work.placeOf.get(id) ?? -1] ?? []).filter((item) => item.id === id);
}

function remove(work: Work, item: Item): void {
  const at = work.placeOf.get(item.id) as number;
  work.places[at] = (work.places[at] ?? []).filter((other) => other !== item);
}

function place(work: Work, at: number, items: readonly Item[], from: readonly number[]): void {
  work.places[at] = [...(work.places[at] ?? []), ...items];
  for (const item of items) {
    work.placeOf.set(item.id, at);
    work.made.push({ id: item.id, from });
  }
}

type Lineage = Pick<Item, "sources" | "firstEpoch" | "lastEpoch" | "confirmations">;

function ancestry(items: readonly Item[], from: readonly number[], work: Work): Lineage {
  const fresh = freshSources(items, from).filter((id) => work.epochs.has(id));
  const epochs = fresh.map((id) => work.epochs.get(id) as number);
  return {
    sources: [...new Set([...items.flatMap(({ sources }) => sources), ...fresh])].toSorted((a, b) => a - b),
    firstEpoch: Math.min(...items.map(({ firstEpoch }) => firstEpoch), ...epochs),
    lastEpoch: Math.max(...items.map(({ lastEpoch }) => lastEpoch), ...epochs),
    // what one observation says first, each further one confirms
    confirmations:
      confirmationsOf(items) + (items.length === 0 ? Math.max(0, fresh.length - 1) : fresh.length),
  };
}

function confirmationsOf(items: readonly Item[]): number {
  return items.reduce((sum, { confirmations }) => sum + confirmations, 0);
}

function freshSources(items: readonly Item[], from: readonly number[]): number[] {
  const known = new Set(items.flatMap(({ sources }) => sources));
  return [...new Set(from)].filter((id) => !known.has(id));
}

function newItems(work: Work, text: string, lineage: Lineage): Item[] {
  return pieces(text).map((piece) => ({
    id: work.nextItemId++,
    text: piece,
    ...lineage,
    pinned: false,
    origin: "merged",
  }));
}

function account(work: Work, operation: Operation): void {
  for (const id of operation.from ?? []) {
    if (operation.kind !== "skip") work.accounted.set(id, { kind: "folded" });
    else if (!work.accounted.has(id)) work.accounted.set(id, { kind: "skipped", reason: operation.reason });
  }
}
