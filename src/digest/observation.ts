/** A row of claude-mem's `observations` as the rest of the program sees it: trusted, with secrets masked. */
export interface Observation {
  id: number;
  /** Effective project: `merged_into_project` where set, else `project`, then the user's aliases. */
  project: string;
  /** claude-mem's own type (`decision`, `bugfix`, …), lower case; empty where the schema has none. */
  type: string;
  /** Normalised tags: text before `:`, lower case, spaces and `_` as `-`; without repeats. */
  concepts: readonly string[];
  title: string;
  subtitle: string;
  narrative: string;
  facts: readonly string[];
  /** Free text of very old rows that have nothing else. */
  text: string;
  /** Milliseconds, as the row has it (seconds are converted). */
  epoch: number;
}
