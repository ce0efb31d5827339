import { INDEX, readMemory, withFiles } from "./directory.ts";
import { compareReach } from "./gate.ts";
import { loadFile, loadIndex } from "./loaded.ts";
import { reachOf } from "./reach.ts";

/**
 * What somebody's write to the index did that it should not have: lines that no longer load, files that
 * lost their last link. `before`: the index as it was, `null` where nobody knows. `null` for nothing.
 */
export function lookAtWrite(directory: string, before: string | null): string | null {
  const memory = readMemory(directory);
  const old = new Map([[INDEX, before === null ? null : new TextEncoder().encode(before)]]);
  const index = memory.files.get(INDEX);
  const dropped = index === undefined ? [] : loadFile(index).dropped;
  const droppedBefore = before === null ? 0 : loadIndex(before).dropped.length;
  const stranded =
    before === null
      ? []
      : compareReach(reachOf(withFiles(memory, old)).reached, memory, []).lost.filter((path) =>
          memory.files.has(path),
        );
  const words = [
    ...(dropped.length > droppedBefore ? [droppedWords(dropped)] : []),
    ...(stranded.length > 0 ? [strandedWords(stranded)] : []),
  ];
  return words.length === 0 ? null : words.join("\n");
}

const SHOWN = 5;

function droppedWords(dropped: readonly { line: number; text: string }[]): string {
  const shown = dropped.slice(0, SHOWN).map(({ line, text }) => `${line}: ${text.trim().slice(0, 80)}`);
  const more = dropped.length > SHOWN ? ` … and ${dropped.length - SHOWN} more` : "";
  return `MEMORY.md is over what Claude Code loads (200 lines, 25,000 units): ${dropped.length} lines at its end no longer load (${shown.join(" · ")}${more}). Shorten or merge entries, or run \`persisted-memory memory archive --apply\`.`;
}

function strandedWords(stranded: readonly string[]): string {
  const shown = stranded.slice(0, SHOWN).join(", ");
  const more = stranded.length > SHOWN ? ` and ${stranded.length - SHOWN} more` : "";
  return `This write took the last link to ${shown}${more}: nothing leads there any more. Link it again in MEMORY.md, or write "— absorbed NAME.md" behind the entry that took it over.`;
}
