import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dayOf, listLogs, logHash, logParts } from "../../src/knowledge/daily.ts";
import { appendEntry } from "../../src/knowledge/entry.ts";
import { NOTHING } from "../../src/knowledge/notes.ts";
import { temporaryFolder } from "../support/cli.ts";

const NOTES = { context: "Ports", exchanges: [], decisions: ["4100 it is"], lessons: [], actions: [] };
const AT = new Date(2026, 3, 1, 14, 30);

test("an entry stands in its day's log in the documented form, and a second time it is not added", () => {
  using folder = temporaryFolder();
  const entry = { session: "s-1", turns: "abc", at: AT, notes: NOTES };
  const path = appendEntry(folder.path, entry);
  appendEntry(folder.path, entry);
  appendEntry(folder.path, { ...entry, turns: "def", notes: NOTHING, at: new Date(2026, 3, 1, 9, 5) });
  expect(path).toBe(join(folder.path, "2026-04-01.md"));
  expect(readFileSync(path, "utf8")).toBe(`# Daily Log: 2026-04-01

## Sessions

### Session (14:30)
<!-- session:s-1 turns:abc -->
**Context:** Ports
**Decisions Made:**
- 4100 it is

### Memory Flush (09:05)
<!-- session:s-1 turns:def -->
FLUSH_OK
`);
});

test("placeholders change neither the hash nor the parts; words do", () => {
  using folder = temporaryFolder();
  const add = (turns: string, notes: typeof NOTES | typeof NOTHING) =>
    readFileSync(appendEntry(folder.path, { session: "s", turns, at: AT, notes }), "utf8");
  const one = add("1", NOTES);
  expect(logHash(one)).toBe(new Bun.CryptoHasher("sha256").update(one).digest("hex"));
  const two = add("2", NOTHING);
  expect(logHash(two)).toBe(logHash(one));
  expect(logParts(two)).toEqual(logParts(one));
  const three = add("3", NOTES);
  expect(logHash(three)).not.toBe(logHash(one));
  expect(logParts(three)).toHaveLength(2);
});

test("what a person wrote into a log stays", () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "2026-04-01.md"), "my own log\r\n\r\nwithout any form");
  const path = appendEntry(folder.path, { session: "s", turns: "1", at: AT, notes: NOTES });
  expect(readFileSync(path, "utf8")).toMatch(
    /^my own log\r\n\r\nwithout any form\n\n### Session \(14:30\)\n/,
  );
});

test("logs are found by person too, oldest first; other files are none", () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "alice"));
  for (const name of [
    "2026-04-02.md",
    "alice/2026-04-01.md",
    "2026-03-31.md",
    "README.md",
    "2026-04-02.md.12345",
    "notes-2026.md",
  ]) {
    writeFileSync(join(folder.path, name), "");
  }
  expect(listLogs(folder.path)).toEqual(["2026-03-31.md", "alice/2026-04-01.md", "2026-04-02.md"]);
  expect(listLogs(join(folder.path, "nowhere"))).toEqual([]);
  expect(dayOf("alice/2026-04-01.md")).toBe("2026-04-01");
});
