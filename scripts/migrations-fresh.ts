import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSQLiteDrizzleJson } from "drizzle-kit/api";
import { z } from "zod";
import * as schema from "../src/store/schema.ts";

const Snapshot = z.object({
  tables: z.record(z.string(), z.unknown()),
  views: z.record(z.string(), z.unknown()),
});
const Journal = z.object({ entries: z.array(z.object({ idx: z.number() })).min(1) });

type Snapshot = z.output<typeof Snapshot>;

/** Fails when `drizzle-kit generate` would find something to migrate; reads only. */
if (import.meta.main) {
  const stale = changedTables(
    lastSnapshot(join(import.meta.dirname, "..", "drizzle", "meta")),
    await generateSQLiteDrizzleJson(schema),
  );
  if (stale.length > 0) {
    console.error(
      `src/store/schema.ts is ahead of drizzle/ in: ${stale.join(", ")}\nhint: bun run migrations`,
    );
    process.exitCode = 1;
  }
}

/** The tables and views that two states of the schema do not share, by name. */
export function changedTables(before: Snapshot, after: Snapshot): string[] {
  const all = (state: Snapshot): Record<string, unknown> => ({ ...state.tables, ...state.views });
  const [old, now] = [all(before), all(after)];
  return Object.keys({ ...old, ...now }).filter((name) => !Bun.deepEquals(old[name], now[name]));
}

/** The schema as the newest migration left it. `meta` is drizzle-kit's folder. */
export function lastSnapshot(meta: string): Snapshot {
  const newest = Journal.parse(readJson(join(meta, "_journal.json"))).entries.at(-1)?.idx ?? 0;
  return Snapshot.parse(readJson(join(meta, `${String(newest).padStart(4, "0")}_snapshot.json`)));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
