import { sanitiseLine } from "../text/sanitise.ts";
import { clipLine } from "../text/sentences.ts";

/** What is worth keeping of a stretch of conversation: the five sections of an entry in a daily log. */
export interface Notes {
  /** One line: what was being worked on. */
  context: string;
  exchanges: readonly string[];
  decisions: readonly string[];
  lessons: readonly string[];
  actions: readonly string[];
}

/** The word for "nothing here is worth keeping". */
export const NOTHING = "FLUSH_OK";

type List = Exclude<keyof Notes, "context">;

const HEADINGS: readonly (readonly [List, string])[] = [
  ["exchanges", "Key Exchanges"],
  ["decisions", "Decisions Made"],
  ["lessons", "Lessons Learned"],
  ["actions", "Action Items"],
];

const POINTS_A_SECTION = 20;
const POINT_UNITS = 600;

/** As it stands in a log, empty sections left out; every point is one line. */
export function renderNotes(notes: Notes): string {
  const sections = HEADINGS.flatMap(([list, heading]) =>
    notes[list].length === 0
      ? []
      : [`**${heading}:**\n${notes[list].map((point) => `- ${point}`).join("\n")}`],
  );
  const context = notes.context === "" ? [] : [`**Context:** ${notes.context}`];
  return [...context, ...sections].join("\n");
}

/**
 * A model's answer read as notes: the five sections in whatever dress of bold and headings, `null` where
 * there is none of them: an apology, an error, an answer to the conversation itself.
 */
export function parseNotes(answer: string): Notes | typeof NOTHING | null {
  const text = answer.trim();
  if (/^\W*FLUSH_OK\b/.test(text) && text.length < 200) return NOTHING;
  const notes: { [Section in keyof Notes]: string[] } = {
    context: [],
    exchanges: [],
    decisions: [],
    lessons: [],
    actions: [],
  };
  let section: keyof Notes | null = null;
  let inFence = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) inFence = !inFence;
    const heading = HEADING.exec(line);
    if (heading !== null) {
      section = sectionOf(heading[1] ?? "");
      if (section !== null && heading[2]) notes[section].push(heading[2]);
    } else if (section !== null && !/^\s*(```|~~~)/.test(line) && line.trim() !== "") {
      addLine(notes[section], line, section === "context" || inFence);
    }
  }
  const points = (list: readonly string[]) =>
    list
      .map((point) => clipLine(sanitiseLine(point), POINT_UNITS))
      .filter((point) => !MEANS_NONE.test(point))
      .slice(0, POINTS_A_SECTION);
  const read: Notes = {
    context: points([notes.context.join(" ")]).join(" "),
    exchanges: points(notes.exchanges),
    decisions: points(notes.decisions),
    lessons: points(notes.lessons),
    actions: points(notes.actions),
  };
  return HEADINGS.some(([list]) => read[list].length > 0) ? read : null;
}

const HEADING =
  /^\s*(?:#{1,6}\s+)?(?:\*\*|__)?(Context|Key Exchanges?|Decisions?(?: Made)?|Lessons?(?: Learned)?|Action Items?)(?:\*\*|__)?:?(?:\*\*|__)?:?\s*(.*)$/i;

const MEANS_NONE = /^\W*(?:none|n\/a|nothing)?\W*$/i;

function sectionOf(heading: string): keyof Notes | null {
  const word = heading.slice(0, 3).toLowerCase();
  if (word === "con") return "context";
  return HEADINGS.find(([, name]) => name.slice(0, 3).toLowerCase() === word)?.[0] ?? null;
}

function addLine(points: string[], line: string, continues: boolean): void {
  const bullet = /^\s*(?:[-*•+]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
  const nested = /^\s{2,}/.test(line);
  if ((bullet === undefined || nested || continues) && points.length > 0) {
    points.push(`${points.pop() ?? ""} ${(bullet ?? line).trim()}`);
  } else {
    points.push((bullet ?? line).replace(/^\[[ x]\]\s+/i, "").trim());
  }
}
