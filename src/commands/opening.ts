import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { oldestFirst } from "../digest/fold.ts";
import type { Observation } from "../digest/observation.ts";
import { usageError } from "../errors.ts";
import { type Location, locateSource } from "../source/location.ts";
import { type RowPolicy, readByIds, rowPolicy, toObservation } from "../source/observations.ts";
import { type Source, openSource } from "../source/open.ts";
import { placeProjects } from "../source/projects.ts";
import { type Store, openStore } from "../store/open.ts";

/** claude-mem's database, with the person's rules for its rows. */
export interface OpenedSource {
  source: Source;
  location: Location;
  rows: RowPolicy;
  /** All that decides where rows go, as one text: when it differs from last time, every row is looked at again. */
  policy: string;
  /** Rows as observations, oldest first, secrets masked; rows that are gone are missing. */
  read: (ids: readonly number[]) => Promise<Observation[]>;
  /** Secrets masked so far. */
  masked: () => number;
}

/** Our store, for writing. Refuses the path of claude-mem's database, also where neither is there yet. */
export function openConfiguredStore(config: Config): Store {
  const { path } = locateSource(config.CLAUDE_MEM_DB, config.env);
  if (resolve(config.DIGEST_DB) === path)
    throw usageError(
      "store-is-source",
      `${path} is claude-mem's database, the digests need a file of their own`,
      "name another file with DIGEST_DB, or leave it out",
    );
  return openStore(config.DIGEST_DB);
}

export function openConfiguredSource(
  config: Config,
  aliases: ReadonlyMap<string, string>,
  warn: (text: string) => void = () => undefined,
): OpenedSource {
  const location = locateSource(config.CLAUDE_MEM_DB, config.env);
  const { path: settings, problem } = location.settings;
  if (problem !== null) warn(`${settings} cannot be used, nor what it excludes: ${problem}`);
  const source = openSource(location.path);
  const { excludedFolders } = location.settings;
  const rows = rowPolicy(
    placeProjects({ aliases, excluded: config.EXCLUDED_PROJECTS, excludedFolders }),
    config.EXCLUDED_TYPES,
  );
  const masked = new Map<number, number>(); // by row: figures read rows again
  return {
    source,
    location,
    rows,
    policy: JSON.stringify({
      version: 1,
      concepts: config.CONCEPTS,
      assign: config.ASSIGN,
      excluded: [config.EXCLUDED_PROJECTS, excludedFolders, config.EXCLUDED_TYPES],
      aliases: [...aliases].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    }),
    read: async (ids) => {
      const observations = readByIds(source, ids).map((row) => {
        const { observation, masked: count } = toObservation(row, rows);
        if (count > 0) masked.set(row.id, count);
        return observation;
      });
      return oldestFirst(observations);
    },
    masked: () => masked.values().reduce((sum, count) => sum + count, 0),
  };
}
