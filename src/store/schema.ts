import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Small facts about the store itself: source identity, how far the source was read, the policy it was read with. */
export const meta = sqliteTable("meta", {
  key: text("key").primaryKey(),
  value: text("value").notNull(),
});

/** An effective project, with what `build` last knew of it, so that hooks and `status` need no source. */
export const projects = sqliteTable("projects", {
  id: integer("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** Rows that became items or duplicates of such. */
  observations: integer("observations").notNull().default(0),
  rawTokens: integer("raw_tokens").notNull().default(0),
  recent50Tokens: integer("recent50_tokens").notNull().default(0),
  recent50Rows: integer("recent50_rows").notNull().default(0),
  /** Rows seen but not folded yet. */
  behind: integer("behind").notNull().default(0),
});

/** One cell: the digest of a (project, type), as a whole. */
export const digests = sqliteTable(
  "digests",
  {
    id: integer("id").primaryKey(),
    projectId: integer("project_id")
      .notNull()
      .references(() => projects.id),
    type: text("type").notNull(),
    revision: integer("revision").notNull().default(0),
    sourceMaxId: integer("source_max_id").notNull().default(0),
    /** Milliseconds. */
    sourceMaxEpoch: integer("source_max_epoch").notNull().default(0),
    /** Items given out so far; an item's id is `id * ITEM_IDS_PER_DIGEST + number`. */
    itemsMade: integer("items_made").notNull().default(0),
    units: integer("units").notNull().default(0),
    behind: integer("behind").notNull().default(0),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("digests_cell").on(table.projectId, table.type)],
);

/** The items of the digests as they are now. Earlier states follow from `revisions` and `archive`. */
export const items = sqliteTable(
  "items",
  {
    id: integer("id").primaryKey(),
    digestId: integer("digest_id")
      .notNull()
      .references(() => digests.id),
    text: text("text").notNull(),
    firstEpoch: integer("first_epoch").notNull(),
    lastEpoch: integer("last_epoch").notNull(),
    confirmations: integer("confirmations").notNull(),
    pinned: integer("pinned", { mode: "boolean" }).notNull(),
    origin: text("origin", { enum: ["merged", "manual", "imported"] }).notNull(),
    /** `rank()` of the item: comparable between items of any digest, whatever the time. */
    rank: real("rank").notNull(),
  },
  (table) => [index("items_by_rank").on(table.digestId, table.rank)],
);

/** Which observations an item stands for; stays when the item goes to the archive. */
export const itemSources = sqliteTable(
  "item_sources",
  {
    itemId: integer("item_id").notNull(),
    observationId: integer("observation_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.itemId, table.observationId] })],
);

/** One row a commit of a digest: what changed, so that any earlier digest can be told. */
export const revisions = sqliteTable(
  "revisions",
  {
    digestId: integer("digest_id").notNull(),
    revision: integer("revision").notNull(),
    runId: integer("run_id").notNull(),
    at: integer("at").notNull(),
    /** `extractive`, `mock`, a model's name; with the prompt's version behind `@`. */
    merge: text("merge").notNull(),
    folded: integer("folded").notNull(),
    duplicates: integer("duplicates").notNull(),
    /** JSON: ids of items that came, and the fields that changed of those that stayed, as they were before. */
    delta: text("delta").notNull(),
    /** JSON array: what a model's answer was sent back for before it was taken; null: for nothing. */
    findings: text("findings"),
  },
  (table) => [primaryKey({ columns: [table.digestId, table.revision] })],
);

/**
 * What left a digest. Text that a live observation still has word for word is kept by its id and
 * the number of the statement; only other words are copied.
 */
export const archive = sqliteTable(
  "archive",
  {
    id: integer("id").primaryKey(),
    digestId: integer("digest_id").notNull(),
    revision: integer("revision").notNull(),
    kind: text("kind", { enum: ["evicted", "superseded", "rewritten", "dropped", "withdrawn"] }).notNull(),
    reason: text("reason"),
    /** Null for a statement that never made it into a stored digest. */
    itemId: integer("item_id"),
    replacedBy: integer("replaced_by"),
    text: text("text"),
    observationId: integer("observation_id"),
    /** JSON array of statement numbers of that observation. */
    statements: text("statements"),
    /** JSON: epochs, confirmations and marks of an item that had lived; null for one that came and went at once. */
    detail: text("detail"),
  },
  (table) => [index("archive_by_revision").on(table.digestId, table.revision)],
);

/** Every observation that was accounted for: which cell took it, and how. `digestId` 0: no cell did. */
export const ledger = sqliteTable(
  "ledger",
  {
    observationId: integer("observation_id").notNull(),
    digestId: integer("digest_id").notNull(),
    projectId: integer("project_id").notNull(),
    outcome: text("outcome", { enum: ["f", "d", "s"] }).notNull(),
    /** The observation that this one is a duplicate of. */
    standsFor: integer("stands_for"),
    /** Why it was skipped. */
    reason: text("reason"),
    revision: integer("revision").notNull(),
    fingerprint: integer("fingerprint").notNull(),
    titleKey: integer("title_key").notNull(),
    units: integer("units").notNull(),
    /** claude-mem's `sync_rev`, where it was not 1. */
    sourceRevision: integer("source_revision"),
  },
  (table) => [
    primaryKey({ columns: [table.observationId, table.digestId] }),
    index("ledger_by_title")
      .on(table.titleKey)
      .where(sql`(outcome = 'f' OR reason = 'near-duplicate')`),
    index("ledger_by_stand_in")
      .on(table.standsFor)
      .where(sql`stands_for IS NOT NULL`),
  ],
);

/** One row a run of anything that may call a model. */
export const runs = sqliteTable("runs", {
  id: integer("id").primaryKey(),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  /** `build`, `knowledge flush`, `knowledge compile`, … */
  command: text("command").notNull(),
  model: text("model").notNull(),
  outcome: text("outcome", { enum: ["running", "done", "failed", "paused", "interrupted"] }).notNull(),
  reason: text("reason"),
  folded: integer("folded").notNull().default(0),
  duplicates: integer("duplicates").notNull().default(0),
  skipped: integer("skipped").notNull().default(0),
});

/** A cell's trouble in a run; settled when the cell is folded after it. */
export const failures = sqliteTable("failures", {
  id: integer("id").primaryKey(),
  runId: integer("run_id").notNull(),
  at: integer("at").notNull(),
  project: text("project").notNull(),
  type: text("type").notNull(),
  code: text("code").notNull(),
  reason: text("reason").notNull(),
  /** JSON array: what the gate or the parser found. */
  findings: text("findings"),
  settled: integer("settled", { mode: "boolean" }).notNull().default(false),
});

/** One row a model call, written before the call and settled after it, so that a crash cannot hide what it cost. */
export const calls = sqliteTable(
  "calls",
  {
    id: integer("id").primaryKey(),
    runId: integer("run_id").notNull(),
    at: integer("at").notNull(),
    purpose: text("purpose").notNull(),
    project: text("project").notNull(),
    type: text("type").notNull(),
    model: text("model").notNull(),
    promptVersion: text("prompt_version").notNull(),
    batchRows: integer("batch_rows").notNull(),
    /** The estimate until the call is settled. */
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull().default(0),
    costUsd: real("cost_usd"),
    outcome: text("outcome", { enum: ["intent", "answered", "refused", "paused", "failed"] }).notNull(),
    reason: text("reason"),
  },
  (table) => [index("calls_by_time").on(table.at)],
);

/** The user's own names for projects: rows of `old` belong to `new`. */
export const aliases = sqliteTable("aliases", {
  old: text("old").primaryKey(),
  new: text("new").notNull(),
});
