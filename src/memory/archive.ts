import { archivedTitles, withReferences } from "./archive-index.ts";
import { archiveOf, archivePathOf, withSection } from "./archive-section.ts";
import { type ArchiveRules, type KeptEntry, sortByAge } from "./age.ts";
import { TARGET_USAGE, countActiveLines, usageOf } from "./caps.ts";
import { type Change, fileChange } from "./change.ts";
import { type DateSource, localDate } from "./dates.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";
import { documentText, readDocument } from "./document.ts";
import { type Loaded, loadFile, loadIndex } from "./loaded.ts";
import { outlineOf, titleOf } from "./outline.ts";

export interface MovedEntry {
  title: string;
  date: string;
  dateSource: DateSource;
  /** In the index as it was, from 1. */
  line: number;
}

export type ArchivePlan =
  | {
      kind: "nothing";
      reason: "no index" | "under the trigger" | "nothing old enough" | "would not shrink the index";
      activeLines: number;
      usage: number;
      kept: readonly KeptEntry[];
    }
  | {
      kind: "archive";
      change: Change;
      moved: readonly MovedEntry[];
      kept: readonly KeptEntry[];
      usage: { before: number; after: number };
      activeLines: { before: number; after: number };
      /** Why the usage stays over the target, `null` where it does not. */
      overTarget: string | null;
    };

/**
 * What the hygiene pipeline would do: over the trigger, every entry older than the threshold moves word
 * for word to the archive, and the index keeps its title.
 */
export function planArchive(memory: MemoryFiles, rules: ArchiveRules): ArchivePlan {
  const file = memory.files.get(INDEX);
  if (file === undefined) return nothing("no index", 0, 0, []);
  const active = countActiveLines(file.text);
  const usage = usageOfLoaded(loadFile(file));
  if (active <= rules.maxLines && usage < rules.triggerUsage)
    return nothing("under the trigger", active, usage, []);

  const index = readDocument(file);
  const outline = outlineOf(index);
  const archivePath = archivePathOf(memory);
  const archive = archiveOf(memory, archivePath, index.eol);
  const { aged, kept } = sortByAge(memory, outline, { rules, archive });
  if (aged.length === 0) return nothing("nothing old enough", active, usage, kept);

  const newArchive = withSection(archive, { aged, index, outline, today: localDate(rules.now) });
  const archived = archivedTitles(memory, newArchive, archivePath);
  const { document: newIndex, renewed } = withReferences(index, { outline, aged, archived, archivePath });
  const text = documentText(newIndex);
  const after = usageOfLoaded(loadIndex(text, newIndex.bom));
  // the heading of the references costs two lines once, which only a full index cannot afford
  if (after > usage && after > TARGET_USAGE)
    return nothing("would not shrink the index", active, usage, kept);

  return {
    kind: "archive",
    change: {
      command: "archive",
      summary: `${aged.length} ${aged.length === 1 ? "entry" : "entries"} to ${archivePath}`,
      files: [fileChange(memory, archivePath, newArchive), fileChange(memory, INDEX, newIndex)],
      renewed,
    },
    moved: aged.map(({ entry, date, source }) => ({
      title: titleOf(entry),
      date,
      dateSource: source,
      line: entry.from + 1,
    })),
    kept,
    usage: { before: usage, after },
    activeLines: { before: active, after: countActiveLines(text) },
    overTarget: after > TARGET_USAGE ? whyOver(kept, rules.thresholdDays) : null,
  };
}

function nothing(
  reason: Extract<ArchivePlan, { kind: "nothing" }>["reason"],
  activeLines: number,
  usage: number,
  kept: readonly KeptEntry[],
): ArchivePlan {
  return { kind: "nothing", reason, activeLines, usage, kept };
}

function usageOfLoaded({ counted, units }: Loaded): number {
  return usageOf(counted.length, units);
}

function whyOver(kept: readonly KeptEntry[], days: number): string {
  const count = (reason: KeptEntry["reason"]) => kept.filter((entry) => entry.reason === reason).length;
  const parts = [
    [count("undated"), "have no date"],
    [count("young"), `are no older than ${days} days`],
    [count("recently modified"), "have a file that was changed since"],
    [count("linked by a younger entry"), "share a file with a younger entry"],
    [count("shares link definitions"), "share link definitions with others"],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  return said.length === 0 ? "what is left is no entry" : `of the entries that stay, ${said.join(", ")}`;
}
