import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Exit, UserError, usageError } from "../errors.ts";
import { absorbingEntry, planMarks } from "../memory/absorb.ts";
import { applyChange } from "../memory/apply.ts";
import { INDEX, type MemoryFiles, readMemory } from "../memory/directory.ts";
import { readDocument } from "../memory/document.ts";
import { type Decision, type GateFindings, compareReach } from "../memory/gate.ts";
import { type GateRecord, readGate, writeGate } from "../memory/gate-record.ts";
import { outlineOf } from "../memory/outline.ts";
import { memoryStateFolder } from "../memory/state-folder.ts";
import type { Context, Run } from "./command.ts";
import { commandPlace, requireDirectory } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  apply: z.boolean().default(false),
  decide: z
    .array(z.string())
    .default([])
    .transform((list) => list.map(parseDecision)),
});

export const run: Run = async (input, context) => {
  const { decide, apply } = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  requireDirectory(place);
  const { directory } = place;
  const folder = memoryStateFolder(context.config.paths.state, directory);
  const record = requireGate(readGate(folder));
  const memory = readMemory(directory);
  requireEntries(memory, decide);
  const decisions = [
    ...record.decisions.filter(({ name }) => !decide.some((other) => other.name === name)),
    ...decide,
  ];
  if (decide.length > 0) writeGate(folder, { ...record, decisions });
  const marks = () =>
    planMarks(
      readMemory(directory),
      decide.flatMap((one) => (one.kind === "absorbed" ? [one] : [])),
    );
  if (apply) await applyChange({ directory, state: context.config.paths.state, now: new Date() }, marks);
  const findings = compareReach(record.reached, readMemory(directory), decisions);
  show(findings, { directory, record, unmarked: !apply && marks() !== null }, context);
  return findings.lost.length === 0 ? Exit.done : Exit.refused;
};

/** `NAME=deleted`, `NAME=absorbed:ENTRY` */
function parseDecision(text: string): Decision {
  const match = /^([^=]+)=(?:(deleted)|absorbed:(.+))$/s.exec(text);
  if (match === null) {
    throw usageError(
      "bad-decision",
      `--decide ${JSON.stringify(text)} is no decision`,
      "NAME=deleted, or NAME=absorbed:ENTRY with an entry's title or file",
    );
  }
  const [, name = "", deleted, entry = ""] = match;
  return deleted === undefined ? { name, kind: "absorbed", entry } : { name, kind: "deleted" };
}

function requireGate(record: GateRecord | null): GateRecord {
  if (record !== null) return record;
  throw new UserError({
    code: "no-gate-snapshot",
    message: "no snapshot was taken of this directory",
    hint: "`persisted-memory memory gate snapshot` before the rewrite",
    exit: Exit.environment,
  });
}

/** What a file was absorbed by must be there to be read. */
function requireEntries(memory: MemoryFiles, decisions: readonly Decision[]): void {
  const file = memory.files.get(INDEX);
  const entries = file === undefined ? [] : outlineOf(readDocument(file)).entries;
  for (const decision of decisions) {
    if (decision.kind === "deleted" || absorbingEntry(entries, decision) !== undefined) continue;
    throw usageError(
      "no-such-entry",
      `the index has no entry ${JSON.stringify(decision.entry)}`,
      "name it by its title or by the file that it links to",
    );
  }
}

function show(
  { lost, decided, gained }: GateFindings,
  { directory, record, unmarked }: { directory: string; record: GateRecord; unmarked: boolean },
  { output }: Context,
): void {
  output.object({ directory, since: record.at, passed: lost.length === 0, lost, decided, gained });
  for (const path of lost) {
    const there = existsSync(join(directory, path)) ? "lost its last link" : "was linked, and is gone";
    output.text(`${output.colours.red("lost")}     ${path} ${there}`);
  }
  for (const { path, decision } of decided) {
    const words =
      decision.kind === "deleted" ? "deleted on purpose" : `absorbed by ${JSON.stringify(decision.entry)}`;
    output.text(`decided  ${path}: ${words}`);
  }
  for (const path of gained) output.text(`${output.colours.green("new")}      ${path} can be reached now`);
  if (lost.length > 0) {
    output.text(
      "\nRefused: link each again, or say what became of it: --decide NAME=deleted, --decide NAME=absorbed:ENTRY.",
    );
    return;
  }
  output.text("Passed: every file that could be reached still can, or it was said why not.");
  if (unmarked)
    output.text("With --apply, the entry itself is marked (— absorbed NAME.md), for whoever reads it later.");
}
