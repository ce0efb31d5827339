import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { readHookSettings } from "../../src/hooks/settings.ts";
import { temporaryFolder } from "../support/cli.ts";

/** Of a hook's settings, what the command line knows by another name. */
const NAMES = {
  digestDb: "DIGEST_DB",
  blockBudget: "BLOCK_BUDGET",
  mergeModel: "MERGE_MODEL",
  knowledgeModel: "KNOWLEDGE_MODEL",
  captureTurns: "CAPTURE_TURNS",
  captureUnits: "CAPTURE_UNITS",
  excludedProjects: "EXCLUDED_PROJECTS",
} as const;

const CASES: [string, Record<string, string>, Record<string, unknown>][] = [
  ["defaults", {}, {}],
  [
    "the environment",
    { DIGEST_DB: "/a/b.db", BLOCK_BUDGET: "700", MERGE_MODEL: "haiku", CAPTURE_TURNS: "0" },
    {},
  ],
  [
    "the file",
    {},
    { DIGEST_DB: "~/c.db", BLOCK_BUDGET: 900, KNOWLEDGE_MODEL: "sonnet", EXCLUDED_PROJECTS: ["a", "b"] },
  ],
  ["numbers written as text", {}, { BLOCK_BUDGET: "9900", CAPTURE_UNITS: "500" }],
  ["both: the environment wins", { BLOCK_BUDGET: "501" }, { BLOCK_BUDGET: 900 }],
  ["an empty variable is none", { BLOCK_BUDGET: "", MERGE_MODEL: "" }, { BLOCK_BUDGET: 900 }],
  ["~ alone", { DIGEST_DB: "~" }, {}],
  ["XDG folders", { XDG_DATA_HOME: "/data", XDG_CONFIG_HOME: "" }, {}],
  ["lists with blanks", { EXCLUDED_PROJECTS: " a , ,b* " }, {}],
];

test.each(CASES)("hooks and the command line resolve alike: %s", (_, variables, file) => {
  using folder = temporaryFolder();
  const env = { HOME: folder.path, ...variables };
  mkdirSync(join(folder.path, ".config/persisted-memory"), { recursive: true });
  writeFileSync(join(folder.path, ".config/persisted-memory/config.json"), JSON.stringify(file));
  const [settings, config] = [readHookSettings(env), loadConfig(env)];
  for (const [name, setting] of Object.entries(NAMES)) {
    expect(Reflect.get(settings, name), setting).toEqual(Reflect.get(config, setting));
  }
  expect(settings.sessionMessage ? "on" : "off").toBe(config.SESSION_MESSAGE);
  expect(settings.captureHeadless ? "on" : "off").toBe(config.CAPTURE_HEADLESS);
});

test.each([
  ["BLOCK_BUDGET", "12"],
  ["BLOCK_BUDGET", "9901"],
  ["BLOCK_BUDGET", "many"],
  ["CAPTURE_TURNS", "-1"],
])("what the command line refuses (%s=%s) is the default in a hook", (name, value) => {
  using folder = temporaryFolder();
  const env = { HOME: folder.path };
  expect(() => loadConfig({ ...env, [name]: value })).toThrow(name);
  expect(readHookSettings({ ...env, [name]: value })).toEqual(readHookSettings(env));
});
