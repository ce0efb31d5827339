import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeLongHistory } from "../seed/long-history.ts";

/**
 * What a build takes beside reading and parsing the same rows with bun:sqlite alone.
 *
 *   bun scripts/bench-build.ts [--rows 100000] [--nothing-new 1000000] [--rounds 3]
 *
 * Ratios of whole processes within one run, the scan measured before and after each build: the
 * machine's noise then meets both. Prints a Markdown table.
 */
const CLI = join(import.meta.dirname, "..", "src", "cli.ts");

if (import.meta.main) await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  const rows = numberOf(argv, "--rows", 100_000);
  const large = numberOf(argv, "--nothing-new", 1_000_000);
  const rounds = numberOf(argv, "--rounds", 3);
  const folder = mkdtempSync(join(tmpdir(), "pmem-bench-"));
  try {
    console.log("| what | seconds | × raw scan | memory | store / source |");
    console.log("|---|---:|---:|---:|---:|");
    const source = join(folder, "source.db");
    makeLongHistory(source, rows);
    for (const merge of ["mock", "extractive"]) await backfill({ folder, source, merge, rows, rounds });
    await nothingNew(folder, source, rows);
    if (large > 0) {
      const larger = join(folder, "large.db");
      makeLongHistory(larger, large);
      await build(folder, larger, "mock", "large");
      await nothingNew(folder, larger, large, "large");
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Backfill {
  folder: string;
  source: string;
  merge: string;
  rows: number;
  rounds: number;
}

async function backfill({ folder, source, merge, rows, rounds }: Backfill): Promise<void> {
  const ratios: { ratio: number; seconds: number; memory: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    rmSync(storePath(folder, merge), { force: true });
    const before = scan(source);
    const { seconds, memory } = await build(folder, source, merge, merge);
    const raw = (before + scan(source)) / 2;
    ratios.push({ ratio: seconds / raw, seconds, memory });
  }
  const best = ratios.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(ratios.length / 2)];
  if (best === undefined) return;
  const share = statSync(storePath(folder, merge)).size / statSync(source).size;
  row(
    `${merge}, ${rows.toLocaleString("en-US")} rows`,
    best.seconds,
    best.ratio,
    best.memory,
    share.toFixed(2),
  );
}

async function nothingNew(folder: string, source: string, rows: number, name = "extractive"): Promise<void> {
  const merge = name === "large" ? "mock" : name;
  const quick = await least(() => build(folder, source, merge, name));
  row(
    `nothing new, ${rows.toLocaleString("en-US")} rows, file untouched`,
    quick.seconds,
    Number.NaN,
    quick.memory,
    "",
  );
  const touched = await least(() => {
    const db = new Database(source);
    db.run("CREATE TABLE IF NOT EXISTS other (n)");
    db.run("INSERT INTO other VALUES (1)");
    db.close();
    return build(folder, source, merge, name);
  });
  row(
    `nothing new, ${rows.toLocaleString("en-US")} rows, file written to`,
    touched.seconds,
    Number.NaN,
    touched.memory,
    "",
  );
}

async function least(measure: () => Promise<Run>): Promise<Run> {
  const runs: Run[] = [];
  for (let round = 0; round < 5; round++) runs.push(await measure());
  return runs.toSorted((a, b) => a.seconds - b.seconds)[0] ?? { seconds: 0, memory: 0 };
}

interface Run {
  seconds: number;
  /** Bytes, at most. */
  memory: number;
}

async function build(folder: string, source: string, merge: string, name: string): Promise<Run> {
  const began = performance.now();
  const child = Bun.spawn([process.execPath, CLI, "build", "--json"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      CLAUDE_MEM_DB: source,
      DIGEST_DB: storePath(folder, name),
      MERGE_MODEL: merge,
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error(`build ended with ${child.exitCode}`);
  return { seconds: (performance.now() - began) / 1000, memory: child.resourceUsage()?.maxRSS ?? 0 };
}

function storePath(folder: string, name: string): string {
  return join(folder, `${name}.digests.db`);
}

/** Reading and parsing every row, by named columns and pages, with nothing done to it. Seconds. */
function scan(source: string): number {
  const began = performance.now();
  const db = new Database(source, { readonly: true });
  const page = db.query<{ id: number; facts: string; concepts: string }, [number]>(
    `SELECT id, project, merged_into_project, type, title, subtitle, facts, narrative, text, concepts, created_at_epoch, sync_rev
     FROM observations WHERE id > ? ORDER BY id LIMIT 1000`,
  );
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0)) {
    for (const { facts, concepts } of rows) {
      JSON.parse(facts);
      JSON.parse(concepts);
    }
  }
  db.close();
  return (performance.now() - began) / 1000;
}

function row(what: string, seconds: number, ratio: number, memory: number, share: string): void {
  const times = Number.isNaN(ratio) ? "" : ratio.toFixed(1);
  console.log(`| ${what} | ${seconds.toFixed(2)} | ${times} | ${Math.round(memory / 1e6)} MB | ${share} |`);
}

function numberOf(argv: readonly string[], flag: string, fallback: number): number {
  const at = argv.indexOf(flag);
  return at < 0 ? fallback : Number(argv[at + 1]);
}
