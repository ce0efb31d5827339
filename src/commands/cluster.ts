import { OTHER } from "../digest/cell.ts";
import { type Clusters, type ProjectCluster, clusterSource } from "../digest/clusters.ts";
import { Exit } from "../errors.ts";
import { readStoreOrThrow } from "../store/error.ts";
import { storedAliases } from "../store/overview.ts";
import { ESTIMATOR } from "../text/tokens.ts";
import type { Run } from "./command.ts";
import { count, figure, percent } from "./figures.ts";
import { openConfiguredSource } from "./opening.ts";
import { type Output, renderTable } from "./output.ts";

/** What fits on a screen; the rest is in `--json`. */
const PROJECTS_SHOWN = 15;
const COLUMNS_SHOWN = 4;
const TAGS_SHOWN = 10;
const MONTHS_SHOWN = 12;
const BAR = 30;

export const run: Run = async (_, { config, output, signal }) => {
  const aliases = readStoreOrThrow(config.DIGEST_DB, storedAliases) ?? new Map<string, string>();
  const { source, rows } = openConfiguredSource(config, aliases, output.warn);
  try {
    const clusters = await clusterSource(source, { rows, concepts: config.CONCEPTS, signal });
    output.object(asObject(source.path, clusters));
    if (!output.json) print(source.path, clusters, [...config.CONCEPTS, OTHER], output);
  } finally {
    source.close();
  }
  return Exit.done;
};

function asObject(path: string, { rows, projects, skipped, foreignTags, untagged, months }: Clusters) {
  return {
    source: path,
    rows,
    projects: projects.map(({ types, ...project }) => ({
      ...project,
      share: shareOf(project.rows, rows),
      types: [...types].map(([type, cell]) => ({ type, ...cell, share: shareOf(cell.rows, project.rows) })),
    })),
    leftOut: [...skipped].map(([reason, byProject]) => ({
      reason,
      rows: sum(byProject.values()),
      projects: Object.fromEntries(byProject),
    })),
    foreignTags: foreignTags.map(([tag, tagged]) => ({ tag, rows: tagged })),
    untagged,
    months: months.map(([month, dated]) => ({ month, rows: dated })),
    estimator: ESTIMATOR,
  };
}

function print(path: string, clusters: Clusters, types: readonly string[], { text, colours }: Output): void {
  const { rows, projects, untagged, foreignTags } = clusters;
  text(`${path}: ${count(rows, "row")} in ${count(projects.length, "project")}`);
  if (projects.length > 0) {
    text(`\n${renderProjects(projects, rows)}`);
    text(`\n${renderTypes(projects, types)}`);
    text(`\n${renderMonths(clusters.months)}`);
  }
  if (foreignTags.length > 0) {
    const shown = foreignTags.slice(0, TAGS_SHOWN).map(([tag, tagged]) => `${tag} ${figure(tagged)}`);
    text(`\nTags that name no cell: ${shown.join(", ")}${more(foreignTags.length - shown.length, "tag")}`);
  }
  if (untagged > 0)
    text(
      `\n${count(untagged, "row")} without a tag of the vocabulary: ${untagged === 1 ? "it goes" : "they go"} to \`${OTHER}\``,
    );
  for (const line of renderSkipped(clusters.skipped)) text(line);
  text(colours.dim(`\n(tokens estimated from a sample with ${ESTIMATOR})`));
}

function renderProjects(projects: readonly ProjectCluster[], rows: number): string {
  const line = (name: string, some: readonly ProjectCluster[]) => [
    name,
    total(some, "rows"),
    percent(shareOf(total(some, "rows"), rows)),
    total(some, "tokens"),
    total(some, "duplicates"),
  ];
  const lines = projects.slice(0, PROJECTS_SHOWN).map((project) => line(project.project, [project]));
  const rest = projects.slice(PROJECTS_SHOWN);
  if (rest.length > 0) lines.push(line(`${figure(rest.length)} more`, rest));
  return renderTable(["project", "rows", "share", "raw tokens", "duplicates"], lines, [2]);
}

/** A type's rows and tokens, then how its rows spread over the largest projects. */
function renderTypes(projects: readonly ProjectCluster[], types: readonly string[]): string {
  const columns = projects.slice(0, COLUMNS_SHOWN);
  const rest = projects.slice(COLUMNS_SHOWN);
  const rows = total(projects, "rows");
  const lines = types.map((type) => {
    const of = (some: readonly ProjectCluster[], figureOf: "rows" | "tokens") =>
      some.reduce((all, { types: own }) => all + (own.get(type)?.[figureOf] ?? 0), 0);
    const all = of(projects, "rows");
    return [
      type,
      all,
      percent(shareOf(all, rows)),
      of(projects, "tokens"),
      ...columns.map((project) => of([project], "rows")),
      ...(rest.length > 0 ? [of(rest, "rows")] : []),
    ];
  });
  const names = columns.map(({ project }) => project);
  return renderTable(
    ["type", "rows", "share", "raw tokens", ...names, ...(rest.length > 0 ? ["others"] : [])],
    lines,
    [2],
  );
}

function renderMonths(months: Clusters["months"]): string {
  const shown = months.slice(-MONTHS_SHOWN);
  const before = sum(months.slice(0, -MONTHS_SHOWN).map(([, rows]) => rows));
  const most = Math.max(...shown.map(([, rows]) => rows));
  const lines = shown.map(([month, rows]) => [
    month,
    rows,
    "▇".repeat(Math.max(1, Math.round((rows / most) * BAR))),
  ]);
  return renderTable(["month", "rows", ""], before > 0 ? [["earlier", before, ""], ...lines] : lines);
}

function renderSkipped(skipped: Clusters["skipped"]): string[] {
  return [...skipped].map(([reason, byProject]) => {
    const names = [...byProject].toSorted((a, b) => b[1] - a[1]);
    const shown = names.slice(0, 5).map(([name, rows]) => `${name} ${figure(rows)}`);
    return `\nLeft out as ${reason}: ${count(sum(byProject.values()), "row")} (${shown.join(", ")}${more(names.length - shown.length, "project")})`;
  });
}

function more(number: number, what: string): string {
  return number > 0 ? `, and ${count(number, `more ${what}`)}` : "";
}

function total(projects: readonly ProjectCluster[], of: "rows" | "tokens" | "duplicates"): number {
  return sum(projects.map((project) => project[of]));
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((all, value) => all + value, 0);
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000;
}
