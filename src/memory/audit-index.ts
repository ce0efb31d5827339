import { oneLine } from "../text/sentences.ts";
import { LINE_CAP, UNIT_CAP, WARN_USAGE, countActiveLines, usageOf } from "./caps.ts";
import { INDEX, topicFacts } from "./directory.ts";
import { type AuditFinding, clip } from "./finding.ts";
import type { CountedLine, Loaded } from "./loaded.ts";

export interface IndexReport {
  /** What Claude Code counts before it cuts. */
  lines: number;
  units: number;
  /** What it puts into a session. */
  loadedLines: number;
  loadedUnits: number;
  /** The larger of both caps' fractions. */
  usage: number;
  lineUsage: number;
  unitUsage: number;
  /** The cap that cuts first; `neither` where all is loaded. */
  binds: "size" | "lines" | "neither";
  /** The cap that the index is nearer to, cut or not. */
  nearer: "size" | "lines";
  /** As Claude Code numbers it: among the counted lines. `null` where nothing is cut, and where the first line itself is. */
  firstLineDropped: number | null;
  firstLineCut: boolean;
  /** Lines of the file. */
  droppedLines: readonly CountedLine[];
  /** Units of the file that do not count: front matter, comments, blank ends. */
  notLoadedUnits: number;
  bytes: number;
  /** Characters that take two units. */
  astral: number;
  meanUnitsPerLine: number;
  activeLines: number;
}

export function indexReport(loaded: Loaded, text: string, bytes: number): IndexReport {
  const { counted, units, dropped } = loaded;
  const lines = counted.length;
  const [lineUsage, unitUsage] = [lines / LINE_CAP, units / UNIT_CAP];
  const words = counted.map((line) => line.text).join("\n");
  return {
    lines,
    units,
    loadedLines: loaded.loadedLines,
    loadedUnits: loaded.text.length,
    usage: usageOf(lines, units),
    lineUsage,
    unitUsage,
    binds: bindingCap(loaded),
    nearer: unitUsage > lineUsage ? "size" : "lines",
    firstLineDropped: dropped.length === 0 || loaded.firstLineCut ? null : loaded.loadedLines + 1,
    firstLineCut: loaded.firstLineCut,
    droppedLines: dropped,
    notLoadedUnits: text.length - units,
    bytes,
    astral: words.match(/[\u{10000}-\u{10FFFF}]/gu)?.length ?? 0,
    meanUnitsPerLine: lines === 0 ? 0 : Math.round(units / lines),
    activeLines: countActiveLines(text),
  };
}

function bindingCap({ dropped, loadedLines, firstLineCut }: Loaded): IndexReport["binds"] {
  if (dropped.length === 0 && !firstLineCut) return "neither";
  return loadedLines === LINE_CAP ? "lines" : "size";
}

export function capFindings(index: IndexReport): AuditFinding[] {
  if (index.firstLineCut) {
    const message = `the first line alone is over ${UNIT_CAP.toLocaleString("en-US")} units: it is cut, and nothing behind it is loaded`;
    return [{ level: "error", code: "over-cap", message, line: 1 }];
  }
  const first = index.droppedLines[0];
  if (first !== undefined) {
    const cap = index.binds === "size" ? `${UNIT_CAP.toLocaleString("en-US")} units` : `${LINE_CAP} lines`;
    return [
      {
        level: "error",
        code: "over-cap",
        message: `over ${cap}: ${index.droppedLines.length} of ${index.lines} lines are not loaded`,
        line: first.line,
      },
    ];
  }
  if (index.usage < WARN_USAGE) return [];
  const cap = index.nearer === "size" ? "size" : "line";
  return [{ level: "warning", code: "near-cap", message: `at ${percent(index.usage)} of the ${cap} cap` }];
}

/** An index that begins with a line of dashes loses all up to the next one, and nobody is told. */
export function swallowFindings({ frontMatter }: Loaded): AuditFinding[] {
  if (frontMatter === null) return [];
  const { fields } = topicFacts({
    path: INDEX,
    bytes: new Uint8Array(),
    text: `---\n${frontMatter.yaml.replace(/\n?$/, "\n")}---\n`,
  });
  const isProse = /^#{1,6} |^\s*[-*+] .*\]\(|\]\([^)]*\)/m.test(frontMatter.yaml);
  if (frontMatter.yaml.trim() === "" || (fields !== null && !isProse)) return [];
  return [
    {
      level: "error",
      code: "front-matter-swallows",
      message: `the file begins with ---, so lines 1 to ${Math.max(2, frontMatter.lines)} are taken for front matter and not loaded: put a heading or a blank line first`,
      line: 1,
    },
  ];
}

/** Comments for programs are no notes. */
const DIRECTIVE =
  /^<!--\s*(?:markdownlint|prettier|textlint|vale|cspell|toc\b|\/toc|doctoc|omit|(?:begin|end|start|stop)\b|generated|auto-?generated|[\w-]+:[\w-]+\s*-->)/i;

export function commentFindings({ comments }: Loaded): AuditFinding[] {
  return comments
    .filter(({ text }) => /\p{L}/u.test(text.slice(4, -3)) && !DIRECTIVE.test(text))
    .map(({ text, line }) => ({
      level: "warning",
      code: "note-in-comment",
      message: `a note in a comment reaches nobody: ${clip(oneLine(text))}`,
      line,
    }));
}

function percent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}
