import { type AuditCode, type AuditFinding } from "../memory/finding.ts";
import { type AuditReport } from "../memory/audit.ts";
import { type IndexReport } from "../memory/audit-index.ts";
import { type TopicsReport } from "../memory/audit-topics.ts";
import { LINE_CAP, TARGET_USAGE, UNIT_CAP, WARN_USAGE } from "../memory/caps.ts";
import { clipLine } from "../text/sentences.ts";
import { count, figure } from "./figures.ts";
import type { Output } from "./output.ts";

/** What the summary shows beside the report. */
export interface AuditView {
  directory: string;
  /** Why this directory. */
  why: string;
  notes: readonly string[];
  agents: readonly { agent: string; usage: number }[];
  /** What `memory archive` would move now, and the usage after it. */
  archivable: { entries: number; usage: number } | null;
  /** Every finding and every dropped line, not the first few. */
  all: boolean;
}

type Colours = Output["colours"];

/** Findings of one kind that the summary spells out; one where there are many kinds. */
const SHOWN = 2;
const FEW_KINDS = 4;
const MOST_KINDS = 7;
const MOST_STEPS = 5;
const SHOWN_DROPPED = 2;
const WIDTH = 110;

/** The audit on one screen: where, how full, what does not load, what is wrong, what to do. */
export function auditLines(report: AuditReport, view: AuditView, colours: Colours): string[] {
  const { index, topics, findings } = report;
  return [
    `${colours.bold(view.directory)} (${view.why})`,
    ...view.notes.map((note) => colours.dim(`  ${note}`)),
    "",
    ...(index === null
      ? ["There is no MEMORY.md here: nothing is loaded. `memory init` makes one."]
      : indexLines(index, view, colours)),
    ...topicLines(topics),
    ...agentLines(view, colours),
    ...findingLines(findings, view, colours),
    "",
    ...adviceLines(report, view),
  ].map((line) => clip(line, view));
}

function indexLines(index: IndexReport, view: AuditView, colours: Colours): string[] {
  const state =
    index.binds !== "neither"
      ? colours.red("over")
      : index.usage >= WARN_USAGE
        ? colours.yellow("nearly full")
        : "fits";
  const name = { size: "size", lines: "line" };
  const cap =
    index.binds === "neither"
      ? `nearer to the ${name[index.nearer]} cap`
      : `the ${name[index.binds]} cap cuts`;
  return [
    `Index    ${figure(index.lines)} of ${LINE_CAP} lines (${share(index.lineUsage)}), ${figure(index.units)} of ${figure(UNIT_CAP)} units (${share(index.unitUsage)}): ${state}, ${cap}; ${count(index.meanUnitsPerLine, "unit")} a line`,
    ...droppedLines(index, view),
  ];
}

function droppedLines(
  { droppedLines: dropped, loadedLines, loadedUnits, firstLineCut }: IndexReport,
  { all }: AuditView,
): string[] {
  const [first] = dropped;
  if (firstLineCut) return [`         loads only the first ${figure(loadedUnits)} units of its first line`];
  if (first === undefined) return [];
  const shown = all ? dropped : dropped.slice(0, SHOWN_DROPPED);
  return [
    `         loads ${count(loadedLines, "line")}; not loaded: ${count(dropped.length, "line")}, from line ${first.line} on:`,
    ...shown.map(({ line, text }, at) => {
      const rest = at === shown.length - 1 ? dropped.length - shown.length : 0;
      const more = rest === 0 ? "" : ` … and ${figure(rest)} more (--all)`;
      return `         ${String(line).padStart(5)}  ${all ? text.trim() : clipLine(text.trim(), WIDTH - 40)}${more}`;
    }),
  ];
}

function topicLines(topics: TopicsReport): string[] {
  if (topics.files === 0) return ["Topics   no topic files"];
  const { files, ofFiles, ofBytes } = topics.orphanShare;
  const orphans =
    files === 0
      ? "no orphans"
      : `${count(files, "orphan")} (${share(ofFiles)} of files, ${share(ofBytes)} of bytes)`;
  const more = [
    topics.dangling.length === 0 ? "" : `, ${figure(topics.dangling.length)} dangling`,
    topics.degraded.length === 0 ? "" : `, ${figure(topics.degraded.length)} named but not linked`,
    topics.linkedFromDroppedLines.length === 0
      ? ""
      : `; ${figure(topics.linkedFromDroppedLines.length)} linked only from lines that do not load`,
  ];
  return [
    `Topics   ${count(topics.files, "file")}, ${figure(topics.linked)} linked; ${orphans}${more.join("")}`,
  ];
}

function agentLines({ agents }: AuditView, colours: Colours): string[] {
  if (agents.length === 0) return [];
  const full = agents.toSorted((a, b) => b.usage - a.usage).slice(0, 4);
  const words = full.map(({ agent, usage }) => {
    const text = `${agent} ${share(usage)}`;
    return usage >= WARN_USAGE ? colours.yellow(text) : text;
  });
  return [`Agents   ${count(agents.length, "memory", "memories")} of subagents: ${words.join(", ")}`];
}

function findingLines(findings: readonly AuditFinding[], view: AuditView, colours: Colours): string[] {
  const told = findings.filter(({ code }) => code !== "over-cap" && code !== "near-cap");
  if (told.length === 0) return [];
  const groups = [...Map.groupBy(told, ({ code }) => code).values()];
  const shown = view.all ? groups : groups.slice(0, MOST_KINDS);
  const each = view.all ? told.length : groups.length > FEW_KINDS ? 1 : SHOWN;
  const rest = groups.slice(shown.length).map((group) => `${group[0]?.code ?? ""} ×${group.length}`);
  return [
    "",
    ...shown.flatMap((group) => groupLines(group, each, colours)),
    ...(rest.length === 0 ? [] : [`and ${rest.join(", ")}`]),
  ];
}

function groupLines(group: readonly AuditFinding[], most: number, colours: Colours): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const paint =
    first.level === "error" ? colours.red : first.level === "warning" ? colours.yellow : colours.dim;
  const words = ({ line, message }: AuditFinding) =>
    `${line === undefined ? "" : `line ${line}: `}${message}`;
  const lines = group.slice(0, most).map(words);
  const rest = group.length - lines.length;
  if (rest > 0) lines[lines.length - 1] += ` (+${figure(rest)} more)`;
  const head = `${paint(first.level.padEnd(10))} ${first.code}${group.length === 1 ? "" : ` ×${figure(group.length)}`}`;
  return lines.map((line, at) => (at === 0 ? `${head}  ${line}` : `${" ".repeat(13)}${line}`));
}

/** What to do, for the cap that binds: shorten lines when it is size, remove lines when it is lines. */
function adviceLines({ index, findings, topics }: AuditReport, { archivable, all }: AuditView): string[] {
  const has = (code: AuditCode) => findings.filter((finding) => finding.code === code).length;
  const steps: string[] = [];
  if (has("front-matter-swallows") > 0)
    steps.push("put a heading above the first ---: what it swallows is not loaded");
  if (index !== null && index.usage >= WARN_USAGE) {
    const cap = index.binds === "neither" ? index.nearer : index.binds;
    steps.push(
      cap === "size"
        ? `shorten lines (${figure(index.units)} units, aim for ${figure(TARGET_USAGE * UNIT_CAP)}): ${count(has("long-entry"), "entry is", "entries are")} over 200 units`
        : `remove lines (${figure(index.lines)}, aim for ${figure(TARGET_USAGE * LINE_CAP)})`,
    );
  }
  if (archivable !== null)
    steps.push(
      `\`memory archive\` would move ${count(archivable.entries, "old entry", "old entries")}: usage ${share(archivable.usage)} after it`,
    );
  if (has("oversize-section") > 0)
    steps.push(
      `\`memory extract\` would move ${count(has("oversize-section"), "long section")} to topic files`,
    );
  if (has("duplicate") + has("near-duplicate") > 0)
    steps.push(`\`memory merge\` would fold ${count(has("duplicate") + has("near-duplicate"), "repeat")}`);
  if (topics.orphans.length > 0) steps.push("read each orphan, then link it from the index or move it away");
  if (topics.dangling.length > 0) steps.push("mend or remove the dangling links");
  if (steps.length === 0) return [findings.length === 0 ? "Nothing to do." : "Nothing urgent."];
  const hasRoom = !all && findings.length > 0 && steps.length < MOST_STEPS;
  const more = hasRoom ? ["(--all shows every finding; every command previews first)"] : [];
  return [
    ...steps
      .slice(0, all ? steps.length : MOST_STEPS)
      .map((step, at) => `${at === 0 ? "Do:      " : "         "}${step}`),
    ...more.map((line) => `         ${line}`),
  ];
}

function share(fraction: number): string {
  if (fraction > 0 && fraction < 0.01) return "under 1 %";
  return `${Math.floor(fraction * 100)} %`;
}

/** A screen's width; a path at its end may run over. */
function clip(line: string, { all }: AuditView): string {
  return all || line.length <= WIDTH + 20 ? line : `${line.slice(0, WIDTH + 19)}…`;
}
