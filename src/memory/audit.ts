import { type AuditContext, claimFindings, entryFindings } from "./audit-entries.ts";
import {
  type IndexReport,
  capFindings,
  commentFindings,
  indexReport,
  swallowFindings,
} from "./audit-index.ts";
import { type TopicsReport, topicFindings, topicsReport } from "./audit-topics.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";
import { splitLines } from "./document.ts";
import type { AuditFinding } from "./finding.ts";
import { loadFile } from "./loaded.ts";
import { outlineOf } from "./outline.ts";
import { reachOf } from "./reach.ts";

export interface AuditReport {
  directory: string;
  index: IndexReport | null;
  topics: TopicsReport;
  findings: readonly AuditFinding[];
}

/** All that can be said about a memory directory without a model. Reads what it is given, writes nothing. */
export function auditMemory(memory: MemoryFiles, context: AuditContext): AuditReport {
  const file = memory.files.get(INDEX);
  const reach = reachOf(memory);
  if (file === undefined) {
    const topics = topicsReport(memory, reach, null);
    return {
      directory: memory.directory,
      index: null,
      topics,
      findings: topicFindings(memory, topics, reach, ""),
    };
  }
  const loaded = loadFile(file);
  const document = { bom: false, lines: splitLines(file.text), eol: "\n" };
  const outline = outlineOf(document);
  const index = indexReport(loaded, file.text, file.bytes.length);
  const topics = topicsReport(memory, reach, loaded);
  return {
    directory: memory.directory,
    index,
    topics,
    findings: [
      ...capFindings(index),
      ...swallowFindings(loaded),
      ...topicFindings(memory, topics, reach, file.text),
      ...commentFindings(loaded),
      ...entryFindings(document, outline, context),
      ...claimFindings(outline, memory, context),
      ...context.siblings.map((path): AuditFinding => ({
        level: "warning",
        code: "sibling-store",
        message: `${path} holds another memory of this project, from a version that named its folder otherwise`,
      })),
    ].toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)),
  };
}

const LEVELS = ["error", "warning", "suggestion"];
