import { type Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildFlags, buildCommand } from "../../src/commands/build.ts";
import { createOutput } from "../../src/commands/output.ts";
import { loadConfig } from "../../src/config.ts";
import type { Item } from "../../src/digest/item.ts";
import { allDigests, loadDigest } from "../../src/store/digests.ts";
import { openStore } from "../../src/store/open.ts";
import { type SourceValues, insertObservations, makeSource, openWriter } from "./claude-mem.ts";

export interface BuildJson {
  totals: {
    observations: number;
    folded: number;
    duplicates: number;
    skipped: number;
    skippedBy: Record<string, number>;
  };
  projects: {
    project: string;
    cells: {
      type: string;
      revision: number;
      folded: number;
      duplicates: number;
      evicted: number;
      items: number;
      units: number;
      watermark: { id: number; epoch: number };
    }[];
  }[];
  failures: { project: string; type: string; code: string; reason: string }[];
  doubt?: string | null;
  locked?: { pid: number };
  withdrawn?: number;
}

/** A source, a store and a HOME in a folder of their own; builds run in this process. */
export class Workshop implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pmem-workshop-"));
  readonly source = join(this.folder, "claude-mem.db");
  readonly store = join(this.folder, "digests.db");
  readonly env: Record<string, string>;

  constructor(rows: readonly SourceValues[], env: Record<string, string> = {}) {
    makeSource(this.source, rows);
    this.env = {
      HOME: this.folder,
      CLAUDE_MEM_DB: this.source,
      DIGEST_DB: this.store,
      MERGE_MODEL: "mock",
      ...env,
    };
  }

  /** Changes the source as claude-mem would. */
  change(edit: (db: Database) => void): void {
    const db = openWriter(this.source);
    edit(db);
    db.close();
  }

  insert(rows: readonly SourceValues[]): void {
    this.change((db) => insertObservations(db, rows));
  }

  /** One build; `exit` is what the process would have ended with. */
  async build(
    flags: Partial<BuildFlags> = {},
    projects: readonly string[] = [],
  ): Promise<BuildJson & { exit: number }> {
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text) };
    const output = createOutput(
      { stdout: stream, stderr: { write: () => 0 } },
      { json: true, colour: false, interactive: false },
    );
    const all: BuildFlags = {
      dryRun: false,
      yes: false,
      rescan: false,
      acceptDeletions: false,
      adoptSource: false,
      useApiKey: false,
      ...flags,
    };
    const exit = await buildCommand({
      config: loadConfig(this.env),
      output,
      signal: new AbortController().signal,
      projects,
      flags: all,
    });
    return { ...(JSON.parse(written.join("")) as BuildJson), exit };
  }

  /** `project/type` → items. */
  cells(): Record<string, readonly Item[]> {
    const store = openStore(this.store);
    const cells = allDigests(store).map(
      ({ id, project, type }) => [`${project}/${type}`, loadDigest(store, id).items] as const,
    );
    store.close();
    return Object.fromEntries(cells.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** `project/type` → texts of the items. */
  texts(): Record<string, string[]> {
    return Object.fromEntries(
      Object.entries(this.cells()).map(([cell, items]) => [cell, items.map((item) => item.text)]),
    );
  }

  query<Row>(sql: string): Row[] {
    const store = openStore(this.store);
    const rows = store.client.query<Row, []>(sql).all();
    store.close();
    return rows;
  }

  storeBytes(): Buffer {
    return readFileSync(this.store);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
