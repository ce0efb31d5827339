/** One observation of the example, as claude-mem's own model writes them. */
export interface Note {
  /** Days since the example begins; a part of a day is a time of it. */
  day: number;
  project: string;
  /** claude-mem's type: `decision`, `bugfix`, `feature`, `refactor`, `discovery`, `change`, `sensitive`. */
  type: string;
  title: string;
  subtitle: string;
  narrative: string;
  facts: readonly string[];
  concepts: readonly string[];
  read: readonly string[];
  modified: readonly string[];
  /** The project that a worktree was merged into. */
  mergedInto?: string;
}

type Words = Pick<Note, "title" | "subtitle" | "narrative" | "facts">;

export interface About {
  type: string;
  concepts: readonly string[];
  read?: readonly string[];
  modified?: readonly string[];
}

export function note(project: string, day: number, about: About, words: Words): Note {
  const { type, concepts, read = [], modified = [] } = about;
  return { day, project, type, concepts, read, modified, ...words };
}
