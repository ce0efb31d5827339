import { and, eq } from "drizzle-orm";
import type { Item } from "../digest/item.ts";
import type { Store } from "./open.ts";
import { ITEM_IDS_PER_DIGEST } from "./peek.ts";
import { digests, projects } from "./schema.ts";

/** A digest with its items, as a merge needs it. */
export interface StoredDigest {
  id: number;
  projectId: number;
  project: string;
  type: string;
  revision: number;
  sourceMaxId: number;
  sourceMaxEpoch: number;
  /** The id that the next new item gets. */
  nextItemId: number;
  units: number;
  behind: number;
  items: readonly Item[];
}

/** The cell's row; makes an empty digest where there is none. */
export function ensureDigest(store: Store, projectId: number, type: string): number {
  const known = store.db
    .select({ id: digests.id })
    .from(digests)
    .where(and(eq(digests.projectId, projectId), eq(digests.type, type)))
    .get();
  if (known !== undefined) return known.id;
  return store.db
    .insert(digests)
    .values({ projectId, type, updatedAt: 0 })
    .returning({ id: digests.id })
    .get().id;
}

export function loadDigest(store: Store, id: number): StoredDigest {
  const row = store.db
    .select({ digest: digests, project: projects.name })
    .from(digests)
    .innerJoin(projects, eq(projects.id, digests.projectId))
    .where(eq(digests.id, id))
    .get();
  if (row === undefined) throw new Error(`digest ${id} is gone`);
  const { digest, project } = row;
  return {
    id,
    projectId: digest.projectId,
    project,
    type: digest.type,
    revision: digest.revision,
    sourceMaxId: digest.sourceMaxId,
    sourceMaxEpoch: digest.sourceMaxEpoch,
    nextItemId: id * ITEM_IDS_PER_DIGEST + digest.itemsMade + 1,
    units: digest.units,
    behind: digest.behind,
    items: loadItems(store, id),
  };
}

/** Ids of all digests, with their cells' names. */
export function allDigests(store: Store): { id: number; projectId: number; project: string; type: string }[] {
  return store.db
    .select({ id: digests.id, projectId: digests.projectId, project: projects.name, type: digests.type })
    .from(digests)
    .innerJoin(projects, eq(projects.id, digests.projectId))
    .orderBy(digests.id)
    .all();
}

interface ItemRow {
  id: number;
  text: string;
  first_epoch: number;
  last_epoch: number;
  confirmations: number;
  pinned: number;
  origin: Item["origin"];
  sources: string;
}

/** In the bare client's prepared statement: it runs once a batch. */
function loadItems(store: Store, digestId: number): Item[] {
  const rows = store.client
    .query<ItemRow, [number]>(
      `SELECT id, text, first_epoch, last_epoch, confirmations, pinned, origin,
              (SELECT json_group_array(observation_id) FROM item_sources WHERE item_id = items.id) AS sources
       FROM items WHERE digest_id = ? ORDER BY id`,
    )
    .all(digestId);
  return rows.map((row) => ({
    id: row.id,
    text: row.text,
    sources: JSON.parse(row.sources) as number[],
    firstEpoch: row.first_epoch,
    lastEpoch: row.last_epoch,
    confirmations: row.confirmations,
    pinned: row.pinned === 1,
    origin: row.origin,
  }));
}
