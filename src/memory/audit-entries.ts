import type { Environment } from "../paths.ts";
import { oneLine } from "../text/sentences.ts";
import { TOPIC_FILES, archiveIndexSections } from "./archive-index.ts";
import { type ProjectFiles, checkClaims } from "./claims.ts";
import type { MemoryFiles } from "./directory.ts";
import { type Document, splitLines } from "./document.ts";
import { oversizeSections } from "./extract.ts";
import { type AuditFinding, clip } from "./finding.ts";
import { mergeableEntries } from "./merge.ts";
import { type Entry, type Outline, isNamed, titleOf } from "./outline.ts";
import { repeatsFrom, repeatsIn } from "./repeats.ts";

export interface AuditContext {
  /** CLAUDE.md files that are loaded beside the index. */
  instructions: readonly { path: string; text: string }[];
  /** `null`: no project is known, so claims about its files cannot be checked. */
  project: ProjectFiles | null;
  siblings: readonly string[];
  env: Environment;
}

/** A longer entry is more than an index needs to say. */
export const LONG_ENTRY_UNITS = 200;

export function entryFindings(document: Document, outline: Outline, context: AuditContext): AuditFinding[] {
  const entries = mergeableEntries(outline);
  return [
    ...entries.filter(({ head }) => head.length > LONG_ENTRY_UNITS).map(long),
    ...oversizeSections(document, outline).map(({ section, lines }): AuditFinding => ({
      level: "suggestion",
      code: "oversize-section",
      message: `section ${JSON.stringify(section.title)} has ${lines} lines; \`memory extract\` makes it a topic file`,
      line: section.from + 1,
    })),
    ...repeatFindings(entries, context),
    ...sectionFindings(outline),
  ];
}

function long(entry: Entry): AuditFinding {
  const { head, from } = entry;
  const message = `${JSON.stringify(clip(titleOf(entry)))} takes ${head.length} units; an entry should stay under ${LONG_ENTRY_UNITS}`;
  return { level: "suggestion", code: "long-entry", message, line: from + 1 };
}

function repeatFindings(entries: readonly Entry[], { instructions }: AuditContext): AuditFinding[] {
  const texts = entries.map(({ text }) => text);
  const within = repeatsIn(texts).flatMap(({ of, repeat, exact }): AuditFinding[] => {
    const [first, again] = [entries[of], entries[repeat]];
    if (first === undefined || again === undefined) return [];
    const words = exact ? "says the same as" : "says nearly the same as";
    return [
      {
        level: "suggestion",
        code: exact ? "duplicate" : "near-duplicate",
        message: `${JSON.stringify(clip(titleOf(again)))} ${words} line ${first.from + 1}`,
        line: again.from + 1,
      },
    ];
  });
  const outside = instructions.flatMap(({ path, text }) =>
    repeatsFrom(texts, statementsOf(text)).flatMap(({ repeat }): AuditFinding[] => {
      const entry = entries[repeat];
      if (entry === undefined) return [];
      const message = `${JSON.stringify(clip(titleOf(entry)))} repeats ${path}, which is loaded as well`;
      return [{ level: "suggestion", code: "repeats-claude-md", message, line: entry.from + 1 }];
    }),
  );
  return [...within, ...outside];
}

/** The lines of instructions, without their marks. */
function statementsOf(text: string): string[] {
  return splitLines(text)
    .map((line) => oneLine(line.replace(/^\s*(?:[-*+>]|\d+[.)]|#+)\s+/, "")))
    .filter((line) => line !== "");
}

function sectionFindings(outline: Outline): AuditFinding[] {
  const topics = outline.sections.find(({ title }) => isNamed(title, TOPIC_FILES));
  const archives = archiveIndexSections(outline);
  const later = outline.sections.filter(
    ({ from }) =>
      topics !== undefined && from >= topics.to && !archives.some((section) => section.from === from),
  );
  if (topics === undefined || later.length === 0) return [];
  return [
    {
      level: "suggestion",
      code: "topic-section-not-last",
      message: `"${TOPIC_FILES}" should be the last section; ${JSON.stringify(later[0]?.title)} comes after it`,
      line: topics.from + 1,
    },
  ];
}

export function claimFindings(
  outline: Outline,
  memory: MemoryFiles,
  { project, env }: AuditContext,
): AuditFinding[] {
  if (project === null) return [];
  return checkClaims(outline, { project, memory, env }).map(({ kind, line, message }) => ({
    level: "suggestion",
    code: kind === "path" ? "unverified-path" : "unverified-count",
    message,
    line,
  }));
}
