import type { BaseChange } from "./change.ts";
import { withoutCode } from "./links.ts";
import type { LintFinding } from "./lint.ts";
import type { LoadedBase } from "./loaded.ts";

/**
 * What of a lint's findings is mechanical: a link back where one is missing, and the index as it should
 * be. `null` where nothing is. Pages get one line more and stay otherwise byte for byte.
 */
export function planFix(loaded: LoadedBase, findings: readonly LintFinding[], at: Date): BaseChange | null {
  const backlinks = Map.groupBy(
    findings.filter(({ check }) => check === "missing-backlink"),
    ({ target }) => target ?? "",
  );
  const unlisted = findings.some(({ check }) => check === "unlisted");
  if (backlinks.size === 0 && !unlisted) return null;
  const pages = loaded.articles.flatMap(({ path, text }) => {
    const from = backlinks.get(path);
    return from === undefined
      ? []
      : [
          {
            path,
            text: linkBack(
              text,
              from.map(({ article }) => article),
            ),
            summary: null,
          },
        ];
  });
  const updated = pages.map(({ path }) => `[[${path}]]`).join(", ");
  return { pages, entry: { at, operation: "lint", subject: "fix", bullets: [["updated", updated]] } };
}

/** Adds the links at the end of `## Related Concepts`, which is made before the sources where it is missing. */
function linkBack(text: string, paths: readonly string[]): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const prose = withoutCode(text).split(/\r?\n/); // a heading in a code block is none
  const heading = (words: RegExp) => prose.findIndex((line) => words.test(line));
  const bullets = paths.map((path) => `- [[${path}]]`);
  const related = heading(/^##\s+Related Concepts\s*$/i);
  if (related >= 0) {
    const next = prose.findIndex((line, n) => n > related && /^#{1,2}\s/.test(line));
    const end = lastLine(lines, next < 0 ? lines.length : next);
    return lines.toSpliced(end, 0, ...(end === related + 1 ? [""] : []), ...bullets).join(lineEnd);
  }
  const sources = heading(/^##\s+Sources\s*$/i);
  const place = sources < 0 ? lastLine(lines, lines.length) : sources;
  const section = ["## Related Concepts", "", ...bullets];
  return lines.toSpliced(place, 0, ...(sources < 0 ? ["", ...section] : [...section, ""])).join(lineEnd);
}

/** Behind the last line with words before `end`. */
function lastLine(lines: readonly string[], end: number): number {
  return lines.slice(0, end).findLastIndex((line) => line.trim() !== "") + 1;
}
