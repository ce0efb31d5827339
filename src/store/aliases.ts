import { eq } from "drizzle-orm";
import type { Store } from "./open.ts";
import { aliases } from "./schema.ts";

/** The user's own project names: old → new. */
export function readAliases(store: Store): Map<string, string> {
  return new Map(
    store.db
      .select()
      .from(aliases)
      .all()
      .map((row) => [row.old, row.new]),
  );
}

export function setAlias(store: Store, old: string, current: string): void {
  store.db
    .insert(aliases)
    .values({ old, new: current })
    .onConflictDoUpdate({ target: aliases.old, set: { new: current } })
    .run();
}

/** True when there was such an alias. */
export function removeAlias(store: Store, old: string): boolean {
  return store.db.delete(aliases).where(eq(aliases.old, old)).returning().all().length > 0;
}
