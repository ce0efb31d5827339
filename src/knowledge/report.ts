import type { LintFinding, LintLevel } from "./lint.ts";

const HEADINGS: Readonly<Record<LintLevel, string>> = {
  error: "Errors",
  warning: "Warnings",
  suggestion: "Suggestions",
};

/** A lint's findings as a page for people; `fixed` are those that are already mended. */
export function renderReport(
  day: string,
  findings: readonly LintFinding[],
  fixed: readonly LintFinding[],
): string {
  const sections = Object.entries(HEADINGS).flatMap(([level, heading]) =>
    section(
      heading,
      findings.filter((found) => found.level === level),
    ),
  );
  const counts = Object.entries(HEADINGS).map(
    ([level, heading]) =>
      `${heading.toLowerCase()}: ${findings.filter((found) => found.level === level).length}`,
  );
  return `${[`# Lint Report: ${day}`, counts.join(" · "), ...sections, ...section("Fixed", fixed)].join("\n\n")}\n`;
}

function section(heading: string, findings: readonly LintFinding[]): string[] {
  if (findings.length === 0) return [];
  return [
    `## ${heading}\n\n${findings.map(({ check, article, message }) => `- \`${article}\` (${check}): ${message}`).join("\n")}`,
  ];
}
