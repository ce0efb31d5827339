import { splitFrontMatter } from "../text/markdown.ts";
import { INDEX, type MemoryFiles } from "./directory.ts";
import { type Destination, createResolver, linksOf, targetsOf } from "./links.ts";
import { frontMatterUnits } from "./loaded.ts";

/** A link with the file that it stands in and where it leads. */
export interface LinkAt {
  from: string;
  line: number;
  target: string;
  path: string;
}

/** What can be reached from the index over links, through linked files and archives too. */
export interface Reach {
  /** Paths of all reached files, the index not counted. */
  reached: ReadonlySet<string>;
  /** Links whose file does not exist. */
  missing: readonly LinkAt[];
  /** Links that would find an unreached file if case, `_`, `-`, spaces, folder or ending were passed over. */
  near: readonly LinkAt[];
  /** Links that leave the directory. */
  outside: readonly LinkAt[];
  /** `[[links]]` of the index that name nothing yet. */
  unresolved: readonly LinkAt[];
}

export function reachOf(memory: MemoryFiles): Reach {
  const resolve = createResolver(memory);
  const reached = new Set<string>();
  const queue = memory.files.has(INDEX) ? [INDEX] : [];
  const leads: Lead[] = [];
  for (const from of queue) {
    const { body, lines } = bodyOf(memory, from);
    let astray = false;
    for (const target of targetsOf(body)) {
      const destination = resolve(target, from);
      if (destination.kind !== "file") astray ||= mustBeShown(target.kind, destination, from);
      else if (destination.path !== INDEX && !reached.has(destination.path)) {
        reached.add(destination.path);
        queue.push(destination.path);
      }
    }
    // only what leads astray must be shown with its line
    if (astray)
      leads.push(
        ...linksOf(body, lines).map((link) => ({ ...link, from, destination: resolve(link, from) })),
      );
  }
  const astray = (kind: Destination["kind"], isMeant: (lead: Lead) => boolean) =>
    leads.flatMap((lead): LinkAt[] => {
      const { destination, from, line, target } = lead;
      return destination.kind === kind && "path" in destination && isMeant(lead)
        ? [{ from, line, target, path: destination.path }]
        : [];
    });
  return {
    reached,
    missing: astray("missing", ({ kind }) => kind === "link"),
    near: astray("near", () => true).filter(({ path }) => !reached.has(path)),
    outside: astray("outside", () => true),
    unresolved: astray("missing", ({ kind, from }) => kind === "wikilink" && from === INDEX),
  };
}

/** A topic file may well name what nobody has written yet. */
function mustBeShown(kind: "link" | "wikilink", destination: Destination, from: string): boolean {
  if (destination.kind === "missing") return kind === "link" || from === INDEX;
  return destination.kind === "near" || destination.kind === "outside";
}

interface Lead {
  kind: "link" | "wikilink";
  from: string;
  line: number;
  target: string;
  destination: Destination;
}

/** In the index, what Claude Code takes for front matter holds no links, whatever it was meant as. */
function bodyOf(memory: MemoryFiles, path: string): { body: string; lines: number } {
  const text = memory.files.get(path)?.text ?? "";
  const start = path === INDEX ? frontMatterUnits(text) : splitFrontMatter(text).bodyStart;
  return { body: text.slice(start), lines: text.slice(0, start).split("\n").length - 1 };
}
