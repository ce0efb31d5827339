import { describe, expect, test } from "vitest";
import { decode, withFiles, INDEX } from "../../src/memory/directory.ts";
import { findConflicts } from "../../src/memory/deep.ts";
import { readDocument } from "../../src/memory/document.ts";
import { mergeableEntries, planMerge, repeatedGroups } from "../../src/memory/merge.ts";
import { modelGroups } from "../../src/memory/merge-model.ts";
import { type Entry, outlineOf } from "../../src/memory/outline.ts";
import { reachOf } from "../../src/memory/reach.ts";
import { checkChange } from "../../src/memory/gate.ts";
import { type Contents, memoryOf } from "../support/memory-directories.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const NOW = new Date("2026-07-06T10:00:00");
const CONTENTS: Contents = {
  "MEMORY.md": [
    "- [Cache](cache.md) — the cache must be cleared by hand after deploys (2026-01-01)",
    "- [Queue](queue.md) — the queue retries three times",
    "- [Cache](old-cache.md) — the cache must be cleared by hand after a deploy (2026-03-01)",
    "",
  ].join("\n"),
  "cache.md": "",
  "old-cache.md": "",
  "queue.md": "",
};

function entriesOf(contents: Contents): Entry[] {
  const file = memoryOf(contents).files.get(INDEX);
  return file === undefined ? [] : mergeableEntries(outlineOf(readDocument(file)));
}

function written(groups: Parameters<typeof planMerge>[1]) {
  const plan = planMerge(memoryOf(CONTENTS), groups, NOW);
  if (plan.kind === "nothing") throw new Error("nothing");
  checkChange(memoryOf(CONTENTS), plan.change);
  const after = withFiles(
    memoryOf(CONTENTS),
    new Map(plan.change.files.map(({ path, after: bytes }) => [path, bytes])),
  );
  const text = (path: string) => decode(after.files.get(path)?.bytes ?? new Uint8Array());
  return { plan, index: text("MEMORY.md"), archive: text("archive.md"), reached: reachOf(after).reached };
}

describe("without a model", () => {
  test("the newest of what repeats itself stands, the others go to the archive word for word", () => {
    const { plan, index, archive, reached } = written(repeatedGroups(entriesOf(CONTENTS)));
    expect(index).toBe(
      [
        "- [Queue](queue.md) — the queue retries three times",
        "- [Cache](old-cache.md) — the cache must be cleared by hand after a deploy (2026-03-01)",
        "",
        "## Archive Index",
        "- [Archive](archive.md) — Cache",
        "",
      ].join("\n"),
    );
    expect(archive).toContain(
      "- [Cache](cache.md) — the cache must be cleared by hand after deploys (2026-01-01)\n",
    );
    expect([...reached].toSorted()).toEqual(["archive.md", "cache.md", "old-cache.md", "queue.md"]);
    expect(plan.merged).toMatchObject([{ by: "kept", from: [{ line: 1 }, { line: 3 }] }]);
  });
});

describe("with a model", () => {
  const ask = (...answers: string[]) =>
    modelGroups(entriesOf(CONTENTS), scriptedModel(...answers).model, new AbortController().signal);
  const answer = (text: string, entries = [1, 3]) => JSON.stringify({ groups: [{ entries, text }] });

  test("its line stands in the place of the first, marked with what it took over", async () => {
    const asked = await ask(
      answer("- [Cache](old-cache.md) — clear the cache by hand after a deploy (2026-03-01)"),
    );
    if (asked.kind !== "answered") throw new Error(asked.reason);
    const { index, archive } = written(asked.value);
    expect(index.split("\n")[0]).toBe(
      "- [Cache](old-cache.md) — clear the cache by hand after a deploy (2026-03-01) — absorbed cache.md",
    );
    expect(archive.match(/^- /gm)).toHaveLength(2);
  });

  test.each<[string, string]>([
    ["an invented number", answer("- [Cache](cache.md), [Cache](old-cache.md): clear it 17 times")],
    ["an entry that was not given", answer("- x", [1, 9])],
    ["one entry alone", answer("- x", [1])],
    ["two lines", answer("- one\n- two\n\npara")],
    ["more than there was", answer(`- [Cache](cache.md) ${"clear ".repeat(60)}`)],
    ["prose", "I would merge the first and the third."],
  ])("refused after a second try: %s", async (_, text) => {
    expect(await ask(text, text)).toMatchObject({ kind: "refused" });
  });

  test("conflicts that it finds become findings with lines", async () => {
    const said = JSON.stringify({
      contradictions: [{ entries: [1, 2], why: "they differ" }],
      superseded: [{ entry: 1, by: 3, why: "newer" }],
    });
    const asked = await findConflicts(
      entriesOf(CONTENTS),
      scriptedModel(said).model,
      new AbortController().signal,
    );
    expect(asked).toMatchObject({
      kind: "answered",
      value: [
        { code: "contradiction", line: 1 },
        { code: "superseded", line: 1 },
      ],
    });
  });
});
