import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Base, baseAt } from "../../src/knowledge/base.ts";

/** Writes files (paths relative to the base's folder) and returns the base. */
export function writeBase(root: string, files: Readonly<Record<string, string>>): Base {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return baseAt(root);
}

/** A daily log with so many sessions, each about one fact. */
export function dailyLog(day: string, facts: readonly string[]): string {
  const entries = facts.map(
    (fact, n) =>
      `### Session (1${n}:00)\n<!-- session:s${n} turns:${n} -->\n**Context:** ${fact}\n**Decisions Made:**\n- ${fact} it is, because it works`,
  );
  return `# Daily Log: ${day}\n\n## Sessions\n\n${entries.join("\n\n")}\n`;
}

/** A page in the seed's form; `words` more than the frame. */
export function conceptPage(
  title: string,
  options: { log: string; links?: readonly string[]; words?: number; day?: string },
): string {
  const day = options.day ?? "2026-04-01";
  return `---\ntitle: "${title}"\naliases: []\ntags: []\nsources:\n  - "daily/${options.log}"\ncreated: ${day}\nupdated: ${day}\n---\n\n${conceptBody(title, options)}\n`;
}

export function conceptBody(
  title: string,
  { log, links = [], words = 40 }: { log: string; links?: readonly string[]; words?: number },
): string {
  const prose = Array.from(
    { length: words },
    (_, n) => ["keeps", "the", "service", "alive", "and", "known"][n % 6],
  ).join(" ");
  return `# ${title}\n\n${title} ${prose}.\n\n## Key Points\n\n- ${title} matters\n\n## Related Concepts\n\n${links.map((link) => `- [[${link}]]`).join("\n")}\n\n## Sources\n\n- [[daily/${log}]] - told there`;
}

/** Every file of a folder by its relative path, dot files included: to see that nothing changed. */
export function snapshot(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}
