import { eq } from "drizzle-orm";
import type { Store } from "./open.ts";
import { meta } from "./schema.ts";

/** What the store remembers of itself between builds. */
export type MetaKey =
  /** JSON array: fingerprints of the source's first rows, by which a source is known again. */
  | "source-identity"
  /** Every row of the source up to this id is in the ledger. */
  | "scanned-through"
  /** JSON: per raw project, counts and sums of ids through `scanned-through`, to notice rows that moved. */
  | "source-shape"
  /** What decides where rows go (vocabulary, exclusions, aliases, assignment), as one text. */
  | "policy"
  | "cell-budget";

export function readMeta(store: Store, key: MetaKey): string | null {
  return store.db.select({ value: meta.value }).from(meta).where(eq(meta.key, key)).get()?.value ?? null;
}

/** Writes only what differs: a run with nothing new leaves the file as it is. */
export function writeMeta(store: Store, values: Partial<Record<MetaKey, string>>): void {
  for (const [key, value] of Object.entries(values) as [MetaKey, string][]) {
    if (readMeta(store, key) === value) continue;
    store.db
      .insert(meta)
      .values({ key, value })
      .onConflictDoUpdate({ target: meta.key, set: { value } })
      .run();
  }
}
