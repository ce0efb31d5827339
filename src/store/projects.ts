import { eq } from "drizzle-orm";
import type { Store } from "./open.ts";
import { projects } from "./schema.ts";

export type ProjectRow = typeof projects.$inferSelect;

export function allProjects(store: Store): ProjectRow[] {
  return store.db.select().from(projects).orderBy(projects.name).all();
}

/** The project's id; makes the row where there is none. */
export function ensureProject(store: Store, name: string): number {
  const known = store.db.select({ id: projects.id }).from(projects).where(eq(projects.name, name)).get();
  if (known !== undefined) return known.id;
  return store.db.insert(projects).values({ name }).returning({ id: projects.id }).get().id;
}

export interface ProjectFigures {
  /** Tokens a UTF-16 unit, from the project's newest rows. */
  tokensPerUnit: number;
  recent50Tokens: number;
  recent50Rows: number;
}

/**
 * Records what the economics of these projects need. Rows and raw size come from the ledger, one row an
 * observation whatever the number of cells it is in.
 */
export function recordFigures(store: Store, figures: ReadonlyMap<number, ProjectFigures>): void {
  const sizes = store.client
    .query<{ projectId: number; rows: number; units: number }, []>(
      `SELECT project_id AS projectId, count(*) AS rows, sum(units) AS units
       FROM (SELECT project_id, observation_id, max(units) AS units FROM ledger WHERE outcome <> 's'
             GROUP BY observation_id, project_id)
       GROUP BY project_id`,
    )
    .all();
  const known = new Map(sizes.map((size) => [size.projectId, size]));
  for (const [id, { tokensPerUnit, recent50Rows, recent50Tokens }] of figures) {
    const { rows = 0, units = 0 } = known.get(id) ?? {};
    store.db
      .update(projects)
      .set({ observations: rows, rawTokens: Math.round(units * tokensPerUnit), recent50Rows, recent50Tokens })
      .where(eq(projects.id, id))
      .run();
  }
}

/** Records how many rows each project and each of its digests still waits for; others wait for none. */
export function recordBehind(store: Store, behind: ReadonlyMap<string, number>): void {
  for (const project of allProjects(store)) {
    const rows = behind.get(project.name) ?? 0;
    if (rows !== project.behind)
      store.db.update(projects).set({ behind: rows }).where(eq(projects.id, project.id)).run();
  }
}

/** Ids of the project's newest observations that a digest stands on. */
export function newestOf(store: Store, projectId: number, limit: number): number[] {
  return store.client
    .query<{ id: number }, [number, number]>(
      `SELECT DISTINCT observation_id AS id FROM ledger WHERE project_id = ? AND outcome <> 's'
       ORDER BY observation_id DESC LIMIT ?`,
    )
    .all(projectId, limit)
    .map((row) => row.id);
}
