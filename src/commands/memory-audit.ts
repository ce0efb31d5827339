import { z } from "zod";
import { type MemoryPlace, agentMemories, siblingStores } from "../claude/memory-directories.ts";
import { Exit, type ExitCode, UserError, usageError } from "../errors.ts";
import { planArchive } from "../memory/archive.ts";
import { type AuditFinding } from "../memory/finding.ts";
import { type AuditReport, auditMemory } from "../memory/audit.ts";
import { WARN_USAGE, usageOf } from "../memory/caps.ts";
import { listProject } from "../memory/claims.ts";
import { findConflicts } from "../memory/deep.ts";
import { INDEX, type MemoryFiles, readMemory } from "../memory/directory.ts";
import { readDocument } from "../memory/document.ts";
import { loadFile } from "../memory/loaded.ts";
import { mergeableEntries } from "../memory/merge.ts";
import { outlineOf } from "../memory/outline.ts";
import { DEEP_VERSION } from "../memory/prompts/deep.ts";
import type { Context, Run } from "./command.ts";
import { type AuditView, auditLines } from "./memory-audit-view.ts";
import { askMemoryModel, memoryModel } from "./memory-model.ts";
import { commandPlace, instructionsOf, placeWords, requireDirectory, shortPath } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  all: z.boolean().default(false),
  project: z.string().min(1).optional(),
  deep: z.boolean().default(false),
  model: z.string().optional(),
  useApiKey: z.boolean().default(false),
});

export const run: Run = async (input, context) => {
  const flags = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  requireDirectory(place);
  const project = flags.project ?? place.project;
  const memory = readMemory(place.directory);
  const audit = auditMemory(memory, {
    instructions: instructionsOf(project, context),
    project: project === null ? null : listProject(project),
    siblings: place.project === null ? [] : siblingStores(place.project, context.config.env),
    env: context.config.env,
  });
  const conflicts = flags.deep
    ? await deepFindings(memory, { ...flags, directory: place.directory }, context)
    : [];
  const report = { ...audit, findings: [...audit.findings, ...conflicts] };
  print(report, { place, project, memory, all: flags.all }, context);
  return exitOf(report.findings);
};

interface Audited {
  place: MemoryPlace;
  project: string | null;
  memory: MemoryFiles;
  all: boolean;
}

function print(report: AuditReport, { place, project, memory, all }: Audited, context: Context): void {
  const { output } = context;
  const { directory: _, ...chosen } = place;
  const agents = place.project === null ? [] : agentStores(place.project, context);
  output.object({ ...report, place: chosen, projectChecked: project, agents });
  if (output.json) return;
  const view: AuditView = {
    directory: shortPath(place.directory, context),
    why: placeWords(place, context),
    notes: placeNotes(place, project, context),
    agents: agents.map(({ agent, usage }) => ({ agent, usage })),
    archivable: archivable(memory, context),
    all,
  };
  output.text(auditLines(report, view, output.colours).join("\n"));
}

async function deepFindings(
  memory: MemoryFiles,
  flags: { model?: string | undefined; useApiKey: boolean; directory: string },
  context: Context,
): Promise<AuditFinding[]> {
  const model = memoryModel({ model: flags.model, useApiKey: flags.useApiKey }, "memory audit", context);
  if (model === null) {
    throw usageError(
      "deep-needs-model",
      "--deep asks a model, and none is set",
      "--model haiku, or KNOWLEDGE_MODEL",
    );
  }
  const file = memory.files.get(INDEX);
  const entries = file === undefined ? [] : mergeableEntries(outlineOf(readDocument(file)));
  if (entries.length < 2) return [];
  const order = { command: "memory audit", promptVersion: DEEP_VERSION, directory: flags.directory };
  const asked = await askMemoryModel(
    model,
    order,
    (ask) => findConflicts(entries, ask, context.signal),
    context,
  );
  if (asked.kind === "answered") return asked.value;
  throw new UserError({
    code: asked.kind === "paused" ? "model-paused" : "model-failed",
    message: `the index was not read for contradictions: ${asked.reason}`,
    hint: "without --deep, the audit needs no model",
    exit: Exit.model,
  });
}

function agentStores(
  project: string,
  { config }: Context,
): { agent: string; scope: string; directory: string; usage: number }[] {
  return agentMemories(project, config.env).map((store) => {
    const index = readMemory(store.directory).files.get(INDEX);
    const { counted, units } = index === undefined ? { counted: [], units: 0 } : loadFile(index);
    return { ...store, usage: usageOf(counted.length, units) };
  });
}

/** What `memory archive` would do now, for the line that says what to do. */
function archivable(memory: MemoryFiles, { config }: Context): AuditView["archivable"] {
  try {
    const plan = planArchive(memory, {
      now: new Date(),
      maxLines: config.MAX_LINES,
      triggerUsage: WARN_USAGE,
      thresholdDays: config.ARCHIVE_THRESHOLD_DAYS,
    });
    return plan.kind === "archive" ? { entries: plan.moved.length, usage: plan.usage.after } : null;
  } catch (error) {
    if (error instanceof UserError) return null; // a file that `archive` would refuse to write
    throw error;
  }
}

function placeNotes(place: MemoryPlace, project: string | null, context: Context): string[] {
  return [
    ...(place.disabledBy === null
      ? []
      : [`not loaded at all: switched off by ${shortPath(place.disabledBy, context)}`]),
    ...place.passedOver.map(
      ({ from, directory, reason }) => `${shortPath(from, context)} names ${directory}: not used, ${reason}`,
    ),
    ...(project === null ? ["paths and counts were not checked: no project is known (--project PATH)"] : []),
  ];
}

function exitOf(findings: readonly AuditFinding[]): ExitCode {
  return findings.some(({ level }) => level === "error") ? Exit.findings : Exit.done;
}
