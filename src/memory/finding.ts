export type AuditCode =
  | "over-cap"
  | "near-cap"
  | "front-matter-swallows"
  | "orphan"
  | "dangling"
  | "degraded"
  | "normalised-link"
  | "unresolved-link"
  | "note-in-comment"
  | "long-entry"
  | "oversize-section"
  | "oversize-topic"
  | "duplicate"
  | "near-duplicate"
  | "repeats-claude-md"
  | "unverified-path"
  | "unverified-count"
  | "topic-type"
  | "sibling-store"
  | "topic-section-not-last"
  | "contradiction"
  | "superseded";

export interface AuditFinding {
  level: "error" | "warning" | "suggestion";
  code: AuditCode;
  message: string;
  /** In the index, from 1; absent for what stands elsewhere. */
  line?: number;
  /** The file that it is about, where it is not the index. */
  file?: string;
}

/** A title or a note, short enough for a line of a report. */
export function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
