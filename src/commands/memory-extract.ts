import { z } from "zod";
import { Exit } from "../errors.ts";
import { type NotExtracted, OVERSIZE_LINES, planExtract } from "../memory/extract.ts";
import type { Run } from "./command.ts";
import { count } from "./figures.ts";
import { carryOut, diffOf, printDiff, printOutcome } from "./memory-change.ts";
import { commandPlace, requireDirectory } from "./memory-place.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  apply: z.boolean().default(false),
  section: z.array(z.string().min(1)).optional(),
});

export const run: Run = async (input, context) => {
  const flags = checkOptions(Options, input.options);
  const place = commandPlace(input, context);
  requireDirectory(place);
  const { plan, id } = await carryOut(
    place.directory,
    {
      plan: (memory) => planExtract(memory, { now: new Date(), sections: flags.section ?? null }),
      changeOf: (made) => (made.kind === "extract" ? made.change : null),
      apply: flags.apply,
    },
    context,
  );
  const { output } = context;
  const files = plan.kind === "extract" ? plan.change.files : [];
  output.object({
    directory: place.directory,
    applied: id !== null,
    extracted: plan.kind === "extract" ? plan.extracted : [],
    skipped: plan.skipped,
    files: files.map(({ path }) => path),
    change: id,
    diff: diffOf(files),
  });
  if (plan.kind === "extract") {
    printDiff(files, output);
    output.text("");
    for (const { title, lines, path } of plan.extracted) {
      output.text(
        `${JSON.stringify(title)}: ${count(lines, "line")} ${id === null ? "would move" : "moved"} to ${path}.`,
      );
    }
  }
  for (const skipped of plan.skipped) output.text(skippedWords(skipped));
  if (plan.kind === "extract") printOutcome({ id }, "extract", output);
  else if (plan.skipped.length === 0)
    output.text(`Nothing to extract: no section has more than ${OVERSIZE_LINES} lines.`);
  return Exit.done;
};

function skippedWords({ title, lines, reason, related }: NotExtracted): string {
  const name = JSON.stringify(title);
  switch (reason) {
    case "no such section":
      return `${name}: there is no such section.`;
    case "is the index itself":
      return `${name}: it is where the index keeps its links; it stays.`;
    case "too short":
      return `${name}: ${count(lines, "line is", "lines are")} not worth a file; it stays.`;
    case "topic file exists":
      return `${name}: ${related} is about that already; move what is new into it by hand. Nothing is overwritten.`;
    case "shares link definitions":
      return `${name}: it shares link definitions or footnotes with other sections; it stays.`;
  }
}
