import { type Store, openStore } from "../../src/store/open.ts";
import { ITEM_IDS_PER_DIGEST } from "../../src/store/peek.ts";
import { DAY } from "./peeked.ts";

export interface StoredItem {
  text: string;
  sources?: readonly number[];
  rank?: number;
  epoch?: number;
}

/** Project → type → items, in ascending order of their ids. */
export type StoreContent = Readonly<Record<string, Readonly<Record<string, readonly StoredItem[]>>>>;

/** Makes a digest store with that content, as if builds had left it so. The caller closes it. */
export function makeStore(path: string, content: StoreContent): Store {
  const store = openStore(path);
  const sql = store.client;
  store.write(() => {
    for (const [project, cells] of Object.entries(content)) {
      const all = Object.values(cells).flat();
      const projectId = sql
        .query<{ id: number }, [string, number, number]>(
          "INSERT INTO projects (name, observations, raw_tokens, recent50_tokens, recent50_rows) VALUES (?, ?, ?, 900, 50) RETURNING id",
        )
        .get(project, all.length, 100_000)?.id;
      for (const [type, items] of Object.entries(cells)) addCell(store, projectId ?? 0, type, items);
    }
  });
  return store;
}

function addCell(store: Store, projectId: number, type: string, items: readonly StoredItem[]): void {
  const sql = store.client;
  const units = items.reduce((sum, item) => sum + item.text.length + 1, 0);
  const newest = Math.max(0, ...items.map((item) => item.epoch ?? DAY));
  const digest = sql
    .query<{ id: number }, [number, string, number, number, number]>(
      `INSERT INTO digests (project_id, type, revision, source_max_id, source_max_epoch, units, updated_at)
       VALUES (?, ?, 2, 70, ?, ?, ?) RETURNING id`,
    )
    .get(projectId, type, newest, units, DAY + 1000);
  for (const [at, item] of items.entries()) {
    const id = (digest?.id ?? 0) * ITEM_IDS_PER_DIGEST + at + 1;
    sql
      .query(
        `INSERT INTO items (id, digest_id, text, first_epoch, last_epoch, confirmations, pinned, origin, rank)
         VALUES (?, ?, ?, ?, ?, 0, 0, 'merged', ?)`,
      )
      .run(id, digest?.id ?? 0, item.text, item.epoch ?? DAY, item.epoch ?? DAY, item.rank ?? at);
    for (const source of item.sources ?? [])
      sql.query("INSERT INTO item_sources VALUES (?, ?)").run(id, source);
  }
}
