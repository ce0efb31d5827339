import { INDEX, type MemoryFiles, type TopicFacts, topicFacts } from "./directory.ts";
import { createResolver } from "./links.ts";
import type { Entry } from "./outline.ts";

/** The files that an entry links to, as seen from the file that it stands in. */
export function pathFinder(memory: MemoryFiles): (entry: Entry, from: string) => string[] {
  const resolve = createResolver(memory);
  return (entry, from) =>
    entry.links.flatMap((link) => {
      const destination = resolve(link, from);
      return destination.kind === "file" ? [destination.path] : [];
    });
}

/** What those files say of themselves; the index is none of them. */
export function topicFinder(memory: MemoryFiles): (entry: Entry, from: string) => TopicFacts[] {
  const pathsOf = pathFinder(memory);
  return (entry, from) =>
    pathsOf(entry, from).flatMap((path) => {
      const file = memory.files.get(path);
      return file === undefined || path === INDEX ? [] : [topicFacts(file)];
    });
}
