import { z } from "zod";
import { type Reading, type Results, nothingRead, readProjects, readResults } from "../block/reading.ts";
import { projectNames } from "../claude/project-names.ts";
import { Exit, usageError } from "../errors.ts";
import { sourceProjects } from "../source/names.ts";
import { readStoreOrThrow } from "../store/error.ts";
import { storedAliases, storedProjects } from "../store/overview.ts";
import type { PeekedItem } from "../store/peek.ts";
import { nearest } from "../text/nearest.ts";
import { ESTIMATOR } from "../text/tokens.ts";
import type { Context, Run } from "./command.ts";
import { count, figure, percent } from "./figures.ts";
import { openConfiguredSource } from "./opening.ts";
import { type Output, renderTable } from "./output.ts";

const Options = z.object({ all: z.boolean().default(false) });
const Project = z.string().min(1).optional();

export const run: Run = async ({ args, options }, context) => {
  const project = Project.parse(args[0]);
  const { all } = Options.parse(options);
  if (all && project !== undefined) {
    throw usageError("project-and-all", "a project and --all exclude each other", "leave one of them out");
  }
  if (all)
    printResults(
      readStoreOrThrow(context.config.DIGEST_DB, (db) => readResults(db, context.config.BLOCK_BUDGET)),
      context.output,
    );
  else printReading(readOne(namesOf(project, context), context), context);
  return Exit.done;
};

/** `repo/worktree` is read with its parent, as in the worktree itself. */
function namesOf(project: string | undefined, { cwd, config }: Context): readonly string[] {
  if (project === undefined) return projectNames(cwd, config.env).all;
  const slash = project.indexOf("/");
  return slash > 0 ? [project.slice(0, slash), project] : [project];
}

function readOne(names: readonly string[], context: Context): Reading {
  const { BLOCK_BUDGET } = context.config;
  const found = readStoreOrThrow(context.config.DIGEST_DB, (db) => ({
    reading: readProjects(db, names, BLOCK_BUDGET),
    stored: storedProjects(db),
    aliases: storedAliases(db),
  }));
  if (found?.reading.known) return found.reading;
  const asked = found?.reading.project ?? names.at(-1) ?? "";
  const inSource = projectsOfSource(context, found?.aliases ?? new Map(), found !== null);
  if ([asked, ...names].some((name) => inSource.includes(name))) return nothingRead(asked);
  throw unknownProject(names.at(-1) ?? "", [...new Set([...(found?.stored ?? []), ...inSource])]);
}

/** With a store at hand a source that cannot be read is no reason to say nothing about the name. */
function projectsOfSource(
  context: Context,
  aliases: ReadonlyMap<string, string>,
  hasStore: boolean,
): string[] {
  try {
    const { source, rows } = openConfiguredSource(context.config, aliases);
    try {
      return sourceProjects(source, rows.place);
    } finally {
      source.close();
    }
  } catch (error) {
    if (hasStore) return [];
    throw error;
  }
}

function unknownProject(name: string, known: readonly string[]): Error {
  const near = nearest(name, known);
  return usageError(
    "unknown-project",
    `no project is called ${JSON.stringify(name)}`,
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : "`persisted-memory read --all` lists those that are built",
  );
}

function printReading(reading: Reading, { output, config }: Context): void {
  const { project, block, economics, cells } = reading;
  output.object({
    project,
    block: block.text,
    units: block.units,
    omitted: block.omitted,
    economics,
    cells: cells.map((cell) => ({
      project: cell.project,
      type: cell.type,
      revision: cell.revision,
      updatedAt: new Date(cell.updatedAt).toISOString(),
      watermark: cell.watermark,
      items: cell.items.map(itemObject),
    })),
  });
  if (output.json) return;
  if (block.text === "") {
    output.note(`${project}: nothing is built yet; \`persisted-memory build\` does it`);
    return;
  }
  output.text(block.text);
  output.note(`\n${economicsTable(reading, config.BLOCK_BUDGET)}`);
}

/** Without what only a block needs. */
function itemObject(item: PeekedItem) {
  const { id, text, sources, firstEpoch, lastEpoch, confirmations, pinned, origin } = item;
  return { id, text, sources: sources.toReversed(), firstEpoch, lastEpoch, confirmations, pinned, origin };
}

function economicsTable({ block, economics }: Reading, budget: number): string {
  const { observations, recent50 } = economics;
  const left = block.omitted === 0 ? "" : `, ${count(block.omitted, "note")} left out`;
  const table = renderTable(
    ["estimated tokens", "", ""],
    [
      ["raw history", figure(economics.rawTokens), count(observations, "observation")],
      ["digests", figure(economics.digestTokens), `what is kept of it, ${economics.ratio}x smaller`],
      [
        "this block",
        figure(economics.blockTokens),
        `${figure(block.units)} of ${figure(budget)} units${left}`,
      ],
      ["50 newest rows", figure(recent50.tokens), `${percent(recent50.share)} of the history`],
    ],
    [1],
  );
  const floor = economics.underFloor
    ? "\nThe whole history would fit into the block: digests pay once it grows."
    : "";
  return `${table}\n(estimated with ${economics.estimator})${floor}`;
}

function printResults(results: Results | null, output: Output): void {
  const { projects, total } = results ?? { projects: [], total: NO_TOTAL };
  output.object({ projects, total, estimator: ESTIMATOR });
  if (output.json) return;
  if (projects.length === 0) {
    output.note("nothing is built yet; `persisted-memory build` does it");
    return;
  }
  const row = (name: string, figures: Results["total"]) => [
    name,
    ...[figures.observations, figures.rawTokens, figures.digestTokens, figures.blockTokens].map(figure),
    `${figures.ratio.toFixed(1)}x`,
  ];
  const rows = projects.map((figures) => [
    ...row(figures.project, figures),
    figures.underFloor ? "(floor)" : "",
  ]);
  const head = ["project", "observations", "raw tokens", "digest tokens", "block tokens", "ratio", ""];
  output.text(renderTable(head, [...rows, [...row("TOTAL", total), ""]], [1, 2, 3, 4, 5]));
  output.note(`(tokens estimated with ${ESTIMATOR}; floor: the whole history would fit into a block)`);
}

const NO_TOTAL: Results["total"] = {
  observations: 0,
  rawTokens: 0,
  digestTokens: 0,
  blockTokens: 0,
  ratio: 0,
};
