import type { Database } from "bun:sqlite";
import { digestText, readableProjects } from "../store/overview.ts";
import { type PeekedCell, type PeekedItem, peek } from "../store/peek.ts";
import { type Block, renderBlock } from "./block.ts";
import { type Economics, economics, ratioOf } from "./economics.ts";

/** All that is known of a project, or of a worktree and its parent. */
export interface Reading {
  /** The most specific name, aliases followed. */
  project: string;
  /** The store has one of the projects. */
  known: boolean;
  block: Block;
  economics: Economics;
  /** Of all projects read, the most specific one's first; whole, best items first. */
  cells: readonly (PeekedCell & { project: string })[];
}

/** Inside a read of `readStore`; `names` as in `peek`, `budget` the block's in UTF-16 units. */
export function readProjects(db: Database, names: readonly string[], budget: number): Reading {
  const block = renderBlock(peek(db, names, budget), budget); // what a session gets, to the letter
  const { names: followed, projects } = peek(db, names);
  const cells = projects
    .toReversed()
    .flatMap(({ name, cells: own }) => own.map((cell) => ({ ...cell, project: name })));
  const digest = cells.flatMap(({ items }) => items.map(({ text }: PeekedItem) => text)).join("\n");
  return {
    project: followed.at(-1) ?? "",
    known: projects.length > 0,
    block,
    economics: economics({ projects, digest, block: block.text, budget }),
    cells,
  };
}

/** A project that the source knows and no build has seen. */
export function nothingRead(project: string): Reading {
  return {
    project,
    known: false,
    block: { text: "", units: 0, shown: 0, omitted: 0 },
    economics: economics({ projects: [], digest: "", block: "", budget: 0 }),
    cells: [],
  };
}

/** A line a project, the deepest history first, and all of them together. */
export interface Results {
  projects: readonly (Economics & { project: string })[];
  total: Pick<Economics, "observations" | "rawTokens" | "digestTokens" | "blockTokens" | "ratio">;
}

/** Inside a read of `readStore`. */
export function readResults(db: Database, budget: number): Results {
  const projects = readableProjects(db).map((name) => {
    const own = peek(db, [name], budget).projects.filter((project) => project.name === name); // no alias of it
    const block = renderBlock({ names: [name], projects: own }, budget).text;
    return { project: name, ...economics({ projects: own, digest: digestText(db, name), block, budget }) };
  });
  const total = (figure: "observations" | "rawTokens" | "digestTokens" | "blockTokens") =>
    projects.reduce((sum, project) => sum + project[figure], 0);
  return {
    projects,
    total: {
      observations: total("observations"),
      rawTokens: total("rawTokens"),
      digestTokens: total("digestTokens"),
      blockTokens: total("blockTokens"),
      ratio: ratioOf(total("rawTokens"), total("digestTokens")),
    },
  };
}
