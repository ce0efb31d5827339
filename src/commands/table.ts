import type { CommandSpec } from "./command.ts";
import { DIGESTS_COMMANDS } from "./specs/digests.ts";
import { HOME_COMMANDS } from "./specs/home.ts";
import { KNOWLEDGE_COMMANDS } from "./specs/knowledge.ts";
import { MEMORY_COMMANDS } from "./specs/memory.ts";

/**
 * Every command, in the order that `--help` and README list them. The code of a command is loaded
 * when it runs, not before.
 */
export const COMMANDS: readonly CommandSpec[] = [
  ...DIGESTS_COMMANDS,
  ...MEMORY_COMMANDS,
  ...KNOWLEDGE_COMMANDS,
  ...HOME_COMMANDS,
];
