import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** Real output for README, as fenced blocks. */
export interface Demo {
  /** Of `seed` what a first look needs. */
  excerpt: string;
  /** Rows that say the same, and what the digest keeps of them. */
  fold: string;
}

const CLI = join(import.meta.dirname, "..", "src", "cli.ts");
const ROW = z.object({ created_at: z.string(), title: z.string(), narrative: z.string(), facts: z.string() });
const DIGESTS = z.object({
  cells: z.array(
    z.object({
      type: z.string(),
      items: z.array(z.object({ text: z.string(), sources: z.array(z.number()) })),
    }),
  ),
});

/** Runs the demo and a build of the example in a folder that is gone afterwards. */
export function runDemo(): Demo {
  const home = mkdtempSync(join(tmpdir(), "pmem-docs-"));
  const source = join(home, "example.db");
  const run = (...args: string[]) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, CLAUDE_MEM_DB: source };
    const { stdout, stderr, success } = Bun.spawnSync([process.execPath, CLI, ...args], { cwd: home, env });
    if (!success) throw new Error(`${args.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  };
  try {
    const demo = run("seed");
    run("seed", "--only", source);
    run("build", "widgets-api");
    return { excerpt: excerpt(demo), fold: fold(source, JSON.parse(run("read", "widgets-api", "--json"))) };
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** `…` stands for lines that were left out. */
function excerpt(demo: string): string {
  const [, , build = "", read = ""] = demo.split(/^\d\. .*\n/m);
  const [command = "", ...built] = build.trim().split("\n");
  const [block = "", economics = ""] = read.trim().split(/(?<=^<\/persisted-memory>)\n/m);
  const lines = block.split("\n");
  const shown = [
    [command, ...built.slice(built.lastIndexOf("") + 1)].join("\n"),
    [...lines.slice(0, 10), "…", ...lines.slice(-2)].join("\n"),
    economics.trim(),
  ];
  return fence(shown.join("\n\n"));
}

/** The gotcha that most rows stand behind, before and after. */
function fold(source: string, digests: unknown): string {
  const cell = DIGESTS.parse(digests).cells.find(({ type }) => type === "gotcha");
  const [most] = (cell?.items ?? []).toSorted((a, b) => b.sources.length - a.sources.length);
  if (cell === undefined || most === undefined) throw new Error("the example has no gotchas");
  const [first = 0, ...others] = most.sources;
  const db = new Database(source, { readonly: true });
  const row = ROW.parse(
    db.query("SELECT created_at, title, narrative, facts FROM observations WHERE id = ?").get(first),
  );
  db.close();
  const facts = z.array(z.string()).parse(JSON.parse(row.facts));
  const same = cell.items.filter(({ sources }) => sources.join() === most.sources.join());
  const shown = [
    `${most.sources.length} rows, as claude-mem stored them:`,
    `#${first} ${row.created_at.slice(0, 10)}: ${row.title}`,
    `    ${row.narrative}`,
    ...facts.map((fact) => `    - ${fact}`),
    `${others.map((id) => `#${id}`).join(", ")}: the same again`,
    "",
    "What the digest has instead:",
    ...same.map(({ text }) => `- ${text}`),
  ];
  return fence(shown.join("\n"));
}

function fence(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}
