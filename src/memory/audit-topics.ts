import { UNIT_CAP } from "./caps.ts";
import { INDEX, type MemoryFiles, isArchive, topicFacts } from "./directory.ts";
import type { AuditFinding } from "./finding.ts";
import { baseOf, frontMatterName, stemOf } from "./links.ts";
import type { Loaded } from "./loaded.ts";
import { type Reach, reachOf } from "./reach.ts";

export interface Share {
  files: number;
  /** Of all topic files, 0 to 1. */
  ofFiles: number;
  bytes: number;
  ofBytes: number;
}

export interface TopicsReport {
  files: number;
  bytes: number;
  /** Files that the index reaches, through other files too. */
  linked: number;
  orphans: readonly string[];
  orphanShare: Share;
  /** Targets that do not exist, relative to the directory. */
  dangling: readonly string[];
  /** Orphans that the index names in prose, or links under another spelling. */
  degraded: readonly string[];
  /** Links that leave the directory. */
  outside: readonly string[];
  /** Files that only lines which don't load link to. */
  linkedFromDroppedLines: readonly string[];
}

const TOPIC_TYPES = ["user", "feedback", "project", "reference"];

export function topicsReport(memory: MemoryFiles, reach: Reach, loaded: Loaded | null): TopicsReport {
  const topics = [...memory.files.values()].filter(({ path }) => path !== INDEX);
  const orphans = topics.filter(({ path }) => !reach.reached.has(path));
  const sum = (files: readonly { bytes: Uint8Array }[]) =>
    files.reduce((all, { bytes }) => all + bytes.length, 0);
  const bytes = sum(topics);
  const loose = new Set(orphans.map(({ path }) => path));
  const named = loaded === null ? new Set<string>() : namedInProse(memory, loose, loaded);
  const near = reach.near.map(({ path }) => path).filter((path) => loose.has(path));
  return {
    files: topics.length,
    bytes,
    linked: topics.length - orphans.length,
    orphans: [...loose],
    orphanShare: {
      files: orphans.length,
      ofFiles: orphans.length / Math.max(1, topics.length),
      bytes: sum(orphans),
      ofBytes: sum(orphans) / Math.max(1, bytes),
    },
    dangling: [...new Set(reach.missing.map(({ path }) => path))],
    degraded: [...new Set([...near, ...named])].toSorted(),
    outside: [...new Set(reach.outside.map(({ target }) => target))],
    linkedFromDroppedLines: loaded === null ? [] : linkedFromDropped(memory, reach, loaded),
  };
}

/** File names in the loaded text that are no links: a file that is only talked about is one that nothing opens. */
function namedInProse(memory: MemoryFiles, loose: ReadonlySet<string>, loaded: Loaded): Set<string> {
  if (loose.size === 0) return new Set();
  const words = new Set(
    loaded.counted.flatMap(({ text }) => text.match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*[\p{L}\p{N}]/gu) ?? []),
  );
  const isMeant = (path: string) => {
    const stem = stemOf(path);
    const name = frontMatterNameOf(memory, path);
    // one plain word may be just a word
    return (
      words.has(baseOf(path)) ||
      [stem, name].some((word) => word !== null && /[-_\d]/.test(word) && words.has(word))
    );
  };
  return new Set([...loose].filter(isMeant));
}

function frontMatterNameOf(memory: MemoryFiles, path: string): string | null {
  const file = memory.files.get(path);
  return file === undefined ? null : frontMatterName(file);
}

function linkedFromDropped(memory: MemoryFiles, reach: Reach, loaded: Loaded): string[] {
  if (loaded.dropped.length === 0) return [];
  const bytes = new TextEncoder().encode(loaded.text);
  const files = new Map(memory.files).set(INDEX, { path: INDEX, bytes, text: loaded.text });
  const loadedReach = reachOf({ ...memory, files });
  return [...reach.reached].filter((path) => !loadedReach.reached.has(path));
}

export function topicFindings(
  memory: MemoryFiles,
  topics: TopicsReport,
  reach: Reach,
  index: string,
): AuditFinding[] {
  const lines = index.split("\n");
  const degraded = new Set(topics.degraded);
  const orphans = topics.orphans.map((path): AuditFinding => ({
    level: "error",
    code: "orphan",
    message: isArchive(path) ? `no link leads to the archive ${path}` : `no link leads to ${path}`,
    file: path,
  }));
  const spelt = new Map(reach.near.map((near) => [near.path, near]));
  const prose = [...degraded].map((path): AuditFinding => {
    const near = spelt.get(path);
    if (near !== undefined) {
      return {
        level: "warning",
        code: "normalised-link",
        message: `${near.from === INDEX ? "" : `${near.from}: `}${near.target} is meant for ${path}, but is spelt otherwise`,
        ...(near.from === INDEX ? { line: near.line } : { file: near.from }),
      };
    }
    const at = lines.findIndex((line) => line.includes(baseOf(path)) || line.includes(stemOf(path)));
    return {
      level: "warning",
      code: "degraded",
      message: `${path} is named, but not linked`,
      file: path,
      ...(at < 0 ? {} : { line: at + 1 }),
    };
  });
  const dangling = reach.missing.map(({ from, line, target }): AuditFinding => ({
    level: from === INDEX || isArchive(from) ? "error" : "warning",
    code: "dangling",
    message: from === INDEX ? `${target} does not exist` : `${from} links to ${target}, which does not exist`,
    ...(from === INDEX ? { line } : { file: from }),
  }));
  const unresolved = reach.unresolved.map(({ line, target }): AuditFinding => ({
    level: "suggestion",
    code: "unresolved-link",
    message: `[[${target}]] names nothing yet`,
    line,
  }));
  return [...dangling, ...orphans, ...prose, ...unresolved, ...topicFileFindings(memory)];
}

function topicFileFindings(memory: MemoryFiles): AuditFinding[] {
  return [...memory.files.values()].flatMap((file): AuditFinding[] => {
    const { path, text } = file;
    if (path === INDEX || baseOf(path) === INDEX || isArchive(path)) return [];
    const findings: AuditFinding[] = [];
    const type = topicFacts(file).fields?.["type"];
    if (typeof type !== "string" || !TOPIC_TYPES.includes(type)) {
      const message = type === undefined ? `${path} has no type` : `${path} has type ${JSON.stringify(type)}`;
      findings.push({
        level: "suggestion",
        code: "topic-type",
        message: `${message} (${TOPIC_TYPES.join(", ")})`,
        file: path,
      });
    }
    if (text.length > UNIT_CAP) {
      const message = `${path} has ${text.length.toLocaleString("en-US")} units, more than a whole index may have`;
      findings.push({ level: "suggestion", code: "oversize-topic", message, file: path });
    }
    return findings;
  });
}
