/**
 * A page that a person edited, with what a compile wants to add: every line of the person's stays where it
 * is, word for word; lines that the page lacks go to the end of their section, sections it lacks before
 * the sources.
 */
export function addToEdited(page: string, addition: string): string {
  const sections = split(page);
  const known = new Set(page.split("\n").map(key));
  for (const { heading, lines: added } of split(addition)) {
    const missing = paragraphs(added).filter(
      (paragraph) => !paragraph.split("\n").every((line) => known.has(key(line))),
    );
    if (missing.length === 0) continue;
    const section = sections.find((own) => key(own.heading) === key(heading));
    const own = section === undefined ? [] : trimEnd(section.lines);
    const lines = own.length === 0 ? ["", joined(missing)] : [joined([own.join("\n"), ...missing])];
    if (section === undefined) sections.splice(placeFor(sections), 0, { heading, lines });
    else section.lines = lines;
  }
  return `${sections
    .map(({ heading, lines }) => [...(heading === "" ? [] : [heading]), ...trimEnd(lines)].join("\n"))
    .join("\n\n")
    .trim()}\n`;
}

interface Section {
  /** The whole heading line; empty for what stands before the first one. */
  heading: string;
  lines: string[];
}

function split(text: string): Section[] {
  const sections: Section[] = [{ heading: "", lines: [] }];
  let inFence = false;
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) inFence = !inFence;
    if (!inFence && /^#{1,2}\s/.test(line)) sections.push({ heading: line, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.filter(({ heading, lines }) => heading !== "" || lines.some((line) => line.trim() !== ""));
}

/** Bullets one by one, other text by paragraph, code blocks whole. */
function paragraphs(lines: readonly string[]): string[] {
  const found: string[] = [];
  let inFence = false;
  let open = false;
  for (const line of lines) {
    const fence = /^\s*(```|~~~)/.test(line);
    const begins = !inFence && (line.trim() === "" || /^(?:[-*+]|\d+[.)])\s/.test(line));
    if (begins || !open) {
      if (line.trim() !== "") found.push(line);
      open = line.trim() !== "";
    } else found.push(`${found.pop() ?? ""}\n${line}`);
    if (fence) inFence = !inFence;
  }
  return found;
}

/** Bullets go on a list as its next ones; anything else is a paragraph of its own. */
function joined(texts: readonly string[]): string {
  const bullet = /^(?:[-*+]|\d+[.)])\s/;
  return texts.reduce((before, text) => {
    const last = before.slice(before.lastIndexOf("\n") + 1);
    return `${before}${bullet.test(last) && bullet.test(text) ? "\n" : "\n\n"}${text}`;
  });
}

function placeFor(sections: readonly Section[]): number {
  const sources = sections.findIndex(({ heading }) => /^##\s+(?:Sources|Related Concepts)\b/i.test(heading));
  return sources < 0 ? sections.length : sources;
}

function trimEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

function key(line: string): string {
  return line
    .replaceAll(/[\s*_]+/g, " ")
    .trim()
    .toLowerCase();
}
