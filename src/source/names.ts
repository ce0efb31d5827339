import type { Source } from "./open.ts";
import type { Place } from "./projects.ts";
import { textOf } from "./values.ts";

/** The effective names of all projects that have a row, by name. Looks at every row. */
export function sourceProjects(source: Source, place: Place): string[] {
  const merged = source.columns.merged ? "merged_into_project" : "NULL";
  const pairs = source.all<{ project: unknown; merged: unknown }>(
    `SELECT DISTINCT project, ${merged} AS merged FROM observations`,
  );
  return [
    ...new Set(pairs.map((pair) => place(textOf(pair.project), textOf(pair.merged)).project)),
  ].toSorted();
}
