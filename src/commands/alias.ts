import { existsSync } from "node:fs";
import { z } from "zod";
import { Exit, usageError } from "../errors.ts";
import { followAliases } from "../source/projects.ts";
import { readAliases, removeAlias, setAlias } from "../store/aliases.ts";
import { readStoreOrThrow } from "../store/error.ts";
import type { Store } from "../store/open.ts";
import { storedAliases } from "../store/overview.ts";
import { cleanProject } from "../text/clean.ts";
import { nearest } from "../text/nearest.ts";
import type { Run } from "./command.ts";
import { openConfiguredStore } from "./opening.ts";
import { renderTable } from "./output.ts";

const Name = z.string().transform(cleanProject).pipe(z.string().min(1)).optional();
const Names = z.object({ old: Name, current: Name, remove: Name });

export const run: Run = async ({ args, options }, { config, output }) => {
  const parsed = Names.safeParse({ old: args[0], current: args[1], remove: options["remove"] });
  if (!parsed.success) throw usageError("no-name", "a project's name has letters", "alias OLD NEW");
  const { old, current, remove } = parsed.data;
  if (remove !== undefined && old !== undefined) {
    throw usageError("alias-and-remove", "--remove takes its name alone", "alias --remove OLD");
  }
  const change = changeOf(old, current, remove);
  const path = config.DIGEST_DB;
  if (change !== null) {
    if (remove !== undefined && !existsSync(path)) throw noAlias(remove, new Map());
    const store = openConfiguredStore(config);
    try {
      store.write(() => change(store));
    } finally {
      store.close();
    }
  }
  const aliases = readStoreOrThrow(path, storedAliases) ?? new Map<string, string>();
  output.object({ aliases: Object.fromEntries(aliases) });
  if (aliases.size === 0) output.text("No aliases.");
  else output.text(renderTable(["rows of", "belong to"], [...aliases]));
  if (change !== null && !output.json) output.note("the next build moves the rows");
  return Exit.done;
};

/** `null`: only look. */
function changeOf(
  old: string | undefined,
  current: string | undefined,
  remove: string | undefined,
): ((store: Store) => void) | null {
  if (remove !== undefined) {
    return (store) => {
      if (!removeAlias(store, remove)) throw noAlias(remove, readAliases(store));
    };
  }
  if (old === undefined) return null;
  if (current === undefined) throw usageError("missing-argument", `alias ${old} to what?`, "alias OLD NEW");
  return (store) => {
    if (current === old) throw usageError("alias-of-itself", `${old} is ${old} already`, "alias OLD NEW");
    if (followAliases(current, readAliases(store)) === old) {
      throw usageError(
        "alias-circle",
        `${current} already leads to ${old}`,
        `alias --remove ${current} undoes that`,
      );
    }
    setAlias(store, old, current);
  };
}

function noAlias(name: string, aliases: ReadonlyMap<string, string>): Error {
  const near = nearest(name, [...aliases.keys()]);
  return usageError(
    "unknown-alias",
    `there is no alias of ${JSON.stringify(name)}`,
    near.length > 0 ? `did you mean ${near.join(" or ")}?` : "`persisted-memory alias` lists them",
  );
}
