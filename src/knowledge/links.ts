/**
 * The targets of a text's `[[wikilinks]]` in order, as written but for alias, heading and `.md`; what stands
 * in code or in an HTML comment is no link. Hand-written because a base has hundreds of articles and a
 * whole markdown parse of each takes a hundred times as long; a test holds it to the parser's opinion.
 */
export function wikilinks(text: string): string[] {
  if (!text.includes("[[")) return [];
  return [...withoutCode(text).matchAll(LINK)]
    .map((match) => linkTarget(match[1] ?? ""))
    .filter((target) => target !== "");
}

/** `[[` then a name; bash's `[[ -f x ]]` has a blank there. */
const LINK = /(?<!\\)\[\[([^\s[\]\n][^[\]\n]*)\]\]/g;

/** What a link names: `concepts/x` for `knowledge/concepts/x.md#heading|words`. */
export function linkTarget(link: string): string {
  if (/^(?!knowledge\/)[\w/-]+$/.test(link)) return link; // nearly all are plain
  const name = link.split(/\\?\|/, 1)[0]?.split("#", 1)[0] ?? "";
  return name
    .trim()
    .replace(/^(?:\.\/|knowledge\/)+/, "")
    .replace(/\.md$/i, "");
}

/** The same text, as long, with blanks where code and comments stood. */
export function withoutCode(text: string): string {
  const unfenced =
    text.includes("```") || text.includes("~~~") || /^(?: {4}|\t)/m.test(text) ? withoutBlocks(text) : text;
  return unfenced.includes("`") || unfenced.includes("<!--") ? withoutSpans(unfenced) : unfenced;
}

function withoutBlocks(text: string): string {
  let fence: { sign: string; length: number } | null = null;
  let afterBlank = true;
  let inList = false;
  const lines = text.split("\n").map((line) => {
    const [, marks = "", info = ""] =
      /^[\s>]*(?:[-*+] |\d+[.)] )?[\s>]*(`{3,}|~{3,})([^\n]*)$/.exec(line) ?? [];
    if (fence !== null) {
      if (marks.startsWith(fence.sign) && marks.length >= fence.length && info.trim() === "") fence = null;
      return blank(line);
    }
    if (marks !== "" && !(marks.startsWith("`") && info.includes("`"))) {
      fence = { sign: marks.charAt(0), length: marks.length };
      afterBlank = true;
      return blank(line);
    }
    if (line.trim() === "") {
      afterBlank = true;
      return line;
    }
    if (/^\s{0,3}(?:[-*+]|\d+[.)])\s/.test(line)) inList = true;
    else if (!/^\s/.test(line)) inList = false;
    if (afterBlank && !inList && /^(?: {4}|\t)/.test(line)) return blank(line); // the next such line is code, too
    afterBlank = false;
    return line;
  });
  return lines.join("\n");
}

function withoutSpans(text: string): string {
  let result = "";
  let from = 0;
  const opener = /`+|<!--/g;
  for (let match = opener.exec(text); match !== null; match = opener.exec(text)) {
    const end =
      match[0] === "<!--" ? endOfComment(text, match.index) : endOfSpan(text, match.index, match[0]);
    if (end === null) continue;
    result += text.slice(from, match.index) + blank(text.slice(match.index, end));
    from = end;
    opener.lastIndex = end;
  }
  return result + text.slice(from);
}

function endOfComment(text: string, start: number): number | null {
  const end = text.indexOf("-->", start + 4);
  return end < 0 ? null : end + 3;
}

/** A code span ends at a run of as many backticks, before the next blank line, list item, heading or quote. */
function endOfSpan(text: string, start: number, run: string): number | null {
  const paragraph = /\n(?=[ \t]*(?:\r?\n|(?:[-*+]|\d+[.)]|#{1,6})[ \t]|>))/g;
  paragraph.lastIndex = start;
  const limit = paragraph.exec(text)?.index ?? text.length;
  const runs = /`+/g;
  runs.lastIndex = start + run.length;
  for (let match = runs.exec(text); match !== null && match.index < limit; match = runs.exec(text)) {
    if (match[0] === run) return match.index + run.length;
  }
  return null;
}

function blank(text: string): string {
  if (!text.includes("\n")) return " ".repeat(text.length);
  return text
    .split("\n")
    .map((line) => " ".repeat(line.length))
    .join("\n");
}
