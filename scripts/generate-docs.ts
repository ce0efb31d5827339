import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../src/cli.ts";
import { COMMANDS } from "../src/commands/table.ts";
import { SETTINGS } from "../src/config.ts";
import { type Demo, runDemo } from "./demo.ts";

/**
 * README's tables and demo, `docs/commands.md` and the examples of CONTRIBUTING.md, made from the command table,
 * the settings, a run of the demo and files that tests run. `--check` only compares.
 */
if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const stale = staleDocs(root, runDemo());
  if (!process.argv.includes("--check")) for (const { path, text } of stale) writeFileSync(path, text);
  else if (stale.length > 0) {
    console.error(`stale: ${stale.map(({ path }) => path).join(", ")}\nhint: bun run docs`);
    process.exitCode = 1;
  }
}

/** The generated documents under `root` that are not as the code says, with the text that they should have. */
export function staleDocs(root: string, demo: Demo): { path: string; text: string }[] {
  const file = (...words: string[]) => ({ path: join(root, ...words), before: read(join(root, ...words)) });
  const [readme, contributing] = [file("README.md"), file("CONTRIBUTING.md")];
  const withDemo = replaceBetween(readme.before, "demo", demo.excerpt);
  const withFold = replaceBetween(withDemo, "fold", demo.fold);
  const withCommands = replaceBetween(withFold, "commands", commandTable());
  const wanted = [
    { path: readme.path, text: replaceBetween(withCommands, "settings", settingTable()) },
    { path: contributing.path, text: withExamples(contributing.before) },
    { path: file("docs", "commands.md").path, text: commandPage() },
  ];
  return wanted.filter(({ path, text }) => read(path) !== text);
}

/** What `COMMAND --help` prints at a width of 100, as lines without trailing space. */
export function helpText(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.replace(/[^\S\n]+$/gm, "").trimEnd();
}

/** The commands that do something, as the argument library has them, by their words. */
export function leafCommands(): Map<string, Command> {
  const leaves = (command: Command, path: readonly string[]): [string, Command][] =>
    command.commands.length === 0
      ? [[path.join(" "), command]]
      : command.commands.flatMap((next) => leaves(next, [...path, next.name()]));
  return new Map(
    leaves(
      createProgram(async () => undefined),
      [],
    ),
  );
}

function commandTable(): string {
  const rows = COMMANDS.map(
    ({ name, summary }) =>
      `| [\`${name}\`](docs/commands.md#${name.replaceAll(" ", "-")}) | ${cell(summary)} |`,
  );
  return ["| command | does |", "|---|---|", ...rows].join("\n");
}

function settingTable(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { fallback, meaning }]) => `| \`${name}\` | ${compact(fallback)} | ${cell(meaning)} |`,
  );
  return ["| name | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

function commandPage(): string {
  const sections = [...leafCommands()].map(
    ([name, command]) => `## ${name}\n\n\`\`\`\n${helpText(command)}\n\`\`\`\n`,
  );
  const program = helpText(createProgram(async () => undefined));
  return [
    "# Commands\n",
    "What `--help` says, made from the code by `bun run docs`.\n",
    `\`\`\`\n${program}\n\`\`\`\n`,
    ...sections,
  ].join("\n");
}

/** Fills each `<!-- example: FILE as SHOWN -->` with FILE, its imports as they would be at SHOWN. */
function withExamples(text: string): string {
  return text.replace(
    /(<!-- example: (\S+) as (\S+) -->\n)[^]*?(<!-- \/example -->)/g,
    (_, open: string, source: string, shown: string, close: string) => {
      const code = readFileSync(join(import.meta.dirname, "..", source), "utf8");
      const imports = code.replaceAll(/"(?:\.\.\/)+src\/([^"]+)"/g, (__, path: string) => {
        const from = relative(dirname(shown), join("src", path));
        return JSON.stringify(from.startsWith(".") ? from : `./${from}`);
      });
      return `${open}\n\`\`\`ts\n// ${shown}\n${imports}\`\`\`\n\n${close}`;
    },
  );
}

function compact(value: string | number | readonly string[] | undefined): string {
  if (value === undefined || value === "") return "";
  if (typeof value === "object") return value.map((word) => `\`${word}\``).join(" ");
  return `\`${value}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function replaceBetween(text: string, name: string, body: string): string {
  const [open, close] = [`<!-- ${name}: made by \`bun run docs\` -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`README.md has no ${open} … ${close}`);
  return `${text.slice(0, start + open.length)}\n${body}\n${text.slice(end)}`;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not made yet: as stale as can be
  }
}
