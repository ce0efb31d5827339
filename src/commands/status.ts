import { z } from "zod";
import { Exit, usageError } from "../errors.ts";
import { readStoreOrThrow } from "../store/error.ts";
import { type Heartbeat, readHeartbeat } from "../store/heartbeat.ts";
import { type Overview, type ProjectOverview, type RunOverview, readOverview } from "../store/overview.ts";
import { nearest } from "../text/nearest.ts";
import type { Context, Run } from "./command.ts";
import { count, day, figure } from "./figures.ts";
import { renderTable } from "./output.ts";

const Project = z.string().min(1).optional();

export const run: Run = async ({ args }, context) => {
  const { config, output } = context;
  const project = Project.parse(args[0]);
  const overview = readStoreOrThrow(config.DIGEST_DB, readOverview) ?? NOTHING;
  const projects = project === undefined ? overview.projects : [only(project, overview.projects)];
  const failures = overview.failures.filter(
    (failure) => project === undefined || failure.project === project,
  );
  const heartbeat = readHeartbeat(config.paths.state, config.DIGEST_DB);
  const shown = { ...overview, projects, failures };
  output.object(asObject(shown, heartbeat, context));
  if (!output.json) print(shown, heartbeat, context);
  return Exit.done;
};

const NOTHING: Overview = { projects: [], lastRun: null, failures: [] };

function only(name: string, projects: readonly ProjectOverview[]): ProjectOverview {
  const found = projects.find((project) => project.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    projects.map((project) => project.name),
  );
  throw usageError(
    "unknown-project",
    `nothing is built of a project ${JSON.stringify(name)}`,
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : "`persisted-memory status` lists those that are built",
  );
}

function asObject(overview: Overview, heartbeat: Heartbeat | null, { config }: Context) {
  const { lastRun } = overview;
  return {
    store: config.DIGEST_DB,
    lastBuild:
      heartbeat === null ? null : { at: heartbeat.at, outcome: heartbeat.outcome, reason: heartbeat.reason },
    lastRun:
      lastRun === null
        ? null
        : { ...lastRun, startedAt: iso(lastRun.startedAt), finishedAt: iso(lastRun.finishedAt) },
    projects: overview.projects.map(({ name, cells, ...project }) => ({
      project: name,
      ...project,
      cells: cells.map((cell) => ({ ...cell, budget: config.CELL_BUDGET, updatedAt: iso(cell.updatedAt) })),
    })),
    failures: overview.failures.map((failure) => ({ ...failure, at: iso(failure.at) })),
  };
}

function print(overview: Overview, heartbeat: Heartbeat | null, { config, output }: Context): void {
  const { projects, failures, lastRun } = overview;
  output.text(`store       ${config.DIGEST_DB}`);
  output.text(`last build  ${lastBuild(lastRun, heartbeat)}`);
  if (projects.length === 0) {
    output.note("nothing is built yet; `persisted-memory build` does it");
    return;
  }
  const lines = projects.flatMap(({ name, cells }) =>
    cells.map((cell, at) => [
      at === 0 ? name : "",
      cell.type,
      cell.rows,
      cell.items,
      `${figure(cell.units)}/${figure(config.CELL_BUDGET)}`,
      cell.revision,
      cell.watermark.id === 0 ? "" : `#${cell.watermark.id} ${day(cell.watermark.epoch)}`,
      cell.behind,
    ]),
  );
  output.text(
    `\n${renderTable(["project", "type", "rows", "items", "units", "revision", "through", "behind"], lines, [4])}`,
  );
  const waiting = projects
    .filter(({ behind }) => behind > 0)
    .map(({ name, behind }) => `${name} ${figure(behind)}`);
  if (waiting.length > 0) output.text(`\nRows seen and not folded yet: ${waiting.join(", ")}`);
  for (const { project, type, code, reason, at } of failures) {
    output.text(output.colours.yellow(`\n${project} · ${type} failed on ${day(at)} (${code}): ${reason}`));
  }
  if (failures.length > 0) output.text("\nThe next build tries these again.");
}

/** The heartbeat is the later of the two: a run with nothing to do leaves the store alone. */
function lastBuild(last: RunOverview | null, heartbeat: Heartbeat | null): string {
  const nothingNew =
    heartbeat?.outcome === "nothing-new" ? `${minute(heartbeat.at)}: nothing new; before that ` : "";
  if (last === null) return nothingNew === "" ? "none" : nothingNew.replace("; before that ", "");
  const did = [
    count(last.folded, "row") + " folded",
    count(last.duplicates, "duplicate"),
    `${figure(last.skipped)} left out`,
  ];
  const outcome =
    last.outcome === "running" ? "running, or ended by a crash" : `${last.outcome}, ${did.join(", ")}`;
  const reason = last.reason === null ? "" : ` (${last.reason})`;
  return `${nothingNew}${minute(iso(last.startedAt) ?? "")} with ${last.model}: ${outcome}${reason}`;
}

function minute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

/** `null` for no time. */
function iso(epoch: number | null): string | null {
  return epoch === null || epoch === 0 ? null : new Date(epoch).toISOString();
}
