import { z } from "zod";
import { Exit } from "../errors.ts";
import { block } from "./checks/block.ts";
import { type Check, type Fix, findings } from "./checks/check.ts";
import { hooks } from "./checks/hooks.ts";
import { payers } from "./checks/payers.ts";
import { runs } from "./checks/runs.ts";
import { resolvedSettings, settings } from "./checks/settings.ts";
import { source } from "./checks/source.ts";
import { store } from "./checks/store.ts";
import { versions } from "./checks/versions.ts";
import type { Context, Run } from "./command.ts";
import type { Output } from "./output.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({ fix: z.boolean().default(false) });

/** In the order of what depends on what. */
const LOOKS = { versions, settings, source, store, payers, runs, hooks, block };

export const run: Run = async ({ options }, context) => {
  const { fix } = checkOptions(Options, options);
  const { config, output } = context;
  const found = await lookAtAll(context);
  const fixes = fix ? found.flatMap((check) => check.fix ?? []) : [];
  for (const { apply } of fixes) apply();
  const checks = fixes.length > 0 ? await lookAtAll(context) : found;
  output.object({
    checks: checks.map(({ check, level, message, hint }) => ({ check, level, message, hint })),
    fixed: fixes.map(({ does }) => does),
    settings: resolvedSettings(config),
    paths: config.paths,
  });
  print(checks, fixes, output);
  return checks.some(({ level }) => level === "fail") ? Exit.findings : Exit.done;
};

async function lookAtAll(context: Context): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, look] of Object.entries(LOOKS)) checks.push(...(await findings(name, look, context)));
  return checks;
}

function print(checks: readonly Check[], fixes: readonly Fix[], output: Output): void {
  const { colours, text } = output;
  const paint = { pass: colours.green, warn: colours.yellow, fail: colours.red };
  for (const { check, level, message, hint } of checks) {
    text(`${paint[level](level)}  ${check}: ${message}`);
    if (hint !== undefined) text(colours.dim(`      ${hint}`));
  }
  for (const { does } of fixes) text(`fixed: ${does}`);
  const fixable = checks.filter(({ fix }) => fix !== undefined).length;
  if (fixable > 0) text("\n`persisted-memory doctor --fix` mends what is safe to mend.");
}
