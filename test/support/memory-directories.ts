import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { type MemoryFiles, decode } from "../../src/memory/directory.ts";

/** Path → content, relative to the directory. */
export type Contents = Readonly<Record<string, string>>;

/** A memory directory that stands on no disk. */
export function memoryOf(contents: Contents): MemoryFiles {
  const files = Object.entries(contents).map(([path, text]) => {
    const bytes = new TextEncoder().encode(text);
    return [path, { path, bytes, text: decode(bytes) }] as const;
  });
  return { directory: "/memory", files: new Map(files), others: new Set() };
}

/** A folder of its own under the system's temporary folder; files are relative to it. */
export function folderOf(contents: Contents): string {
  const directory = mkdtempSync(join(tmpdir(), "pmem-memory-"));
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

/** Every file below a folder, byte for byte. */
export function bytesBelow(directory: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.toSorted().map((path) => [path.slice(directory.length + 1), readFileSync(path, "latin1")]),
  );
}

const NAMES = ["alpha", "beta-notes", "gamma_log", "delta", "session_2025-02-03_x"];
const DATES = ["2024-02-03", "2025-11-30", "2026-06-01", "2026-06-02", "2026-11-20", "2027-01-01"];
const name = fc.constantFrom(...NAMES);
const date = fc.constantFrom(...DATES);
const words = fc.constantFrom(
  "the cache must be cleared by hand",
  "deploys run from main only",
  "the queue retries three times",
  "never edit generated files",
  "`src/a.ts` keeps the **lock**",
);

const entry = fc.oneof(
  fc.tuple(name, words, date).map(([file, text, day]) => `- [${file} note](${file}.md) — ${text} (${day})`),
  fc.tuple(name, words, date).map(([file, text, day]) => `- [Fixed ${file} (${day})](${file}.md): ${text}`),
  fc.tuple(name, words).map(([file, text]) => `* **[${file}](<./${file}.md> "t")** → ${text}`),
  fc
    .tuple(name, words, date)
    .map(
      ([file, text, day]) => `- ${text}, see [[${file}]], since ${day}\n  - and more\n\n  a second paragraph`,
    ),
  fc.tuple(words, date).map(([text, day]) => `1. ${text} (${day})\nlazy words`),
  fc.tuple(words, date).map(([text, day]) => `- [ ] ${text} (${day})`),
  fc.tuple(name, words, date).map(([, text, day]) => `- [Titled][ref] — ${text} (${day})`),
  words.map((text) => `- ${text}`),
);
const block = fc.oneof(
  { weight: 6, arbitrary: fc.array(entry, { minLength: 1, maxLength: 6 }).map((list) => list.join("\n")) },
  { weight: 2, arbitrary: fc.array(entry, { minLength: 1, maxLength: 3 }).map((list) => list.join("\n\n")) },
  fc.constantFrom(
    "## Build",
    "### Detail",
    "# Top",
    "Setext\n---",
    "## Topic Files",
    "## Archive Index",
    "## Build",
  ),
  fc.tuple(words, name).map(([text, file]) => `${text}. See [${file}](${file}.md).`),
  fc.constantFrom(
    "---",
    "***",
    "```\n- [x](alpha.md) (2024-01-01)\n```",
    "<!-- a note -->",
    "<div>\n- x (2024-01-01)\n</div>",
  ),
  fc
    .array(fc.tuple(name, words, date), { minLength: 1, maxLength: 3 })
    .map((rows) =>
      [
        "| a | b |",
        "|---|---|",
        ...rows.map(([file, text, day]) => `| [${file}](${file}.md) | ${text} ${day} |`),
      ].join("\n"),
    ),
  fc.constantFrom(
    "> - quoted (2024-01-01)",
    "    - code (2024-01-01)",
    "- [Archive] alpha note — the cache must…",
    "[ref]: delta.md",
  ),
);

/** Directories with what people write in an index, and with what they should not have. */
export const memoryContents: fc.Arbitrary<Contents> = fc
  .record({
    blocks: fc.array(fc.tuple(block, fc.constantFrom("\n", "\n\n", "\n\n\n")), {
      minLength: 1,
      maxLength: 14,
    }),
    front: fc.constantFrom("", "", "", "---\nname: index\n---\n", "# Project Memory\n\n"),
    eol: fc.constantFrom("\n", "\n", "\r\n"),
    bom: fc.constantFrom("", "", "\uFEFF"),
    ended: fc.boolean(),
    modified: fc.constantFrom("", "modified: 2026-11-01\n", "metadata:\n  modified: 2024-05-05T10:00:00Z\n"),
    archive: fc.constantFrom(
      "",
      "",
      "# Memory Archive\n\n## 2026-11-29 Archive\n\n- [alpha](alpha.md) — kept (2025-01-01)\n",
      "# Old things\n\n- by hand [delta](delta.md)",
    ),
  })
  .map(({ blocks, front, eol, bom, ended, modified, archive }) => {
    const text = front + blocks.map(([part, gap]) => part + gap).join("");
    const index = (ended ? `${text.trimEnd()}\n` : text.trimEnd()).replaceAll("\n", eol);
    const topics = NAMES.map((file) => [
      `${file}.md`,
      `---\nname: ${file}\ntype: project\n${modified}---\n\n# ${file}\n\nSee [[delta]].\n`,
    ]);
    return {
      ...Object.fromEntries(topics),
      ...(archive === "" ? {} : { "archive.md": archive }),
      "MEMORY.md": bom + index,
    };
  });
