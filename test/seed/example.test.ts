import { Database } from "bun:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Example, makeExample } from "../../seed/example.ts";
import { mayHoldSecret } from "../../src/text/redact.ts";
import { makeSource } from "../support/claude-mem.ts";
import { temporaryFolder } from "../support/cli.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "example.db");
});
afterEach(() => folder[Symbol.dispose]());

function all<Row>(sql: string, file = path): Row[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.query<Row, []>(sql).all();
  } finally {
    db.close();
  }
}
const number = (sql: string) => all<{ n: number }>(sql)[0]?.n ?? 0;

test("the same example at every call", () => {
  const other = join(folder.path, "other.db");
  const made: Example = makeExample(path);
  expect(makeExample(other)).toEqual(made);
  const rows = (file: string) => all("SELECT * FROM observations ORDER BY id", file);
  expect(rows(path)).toEqual(rows(other));
  expect(number("SELECT count(*) AS n FROM observations")).toBe(made.rows);
  expect(made.rows).toBeGreaterThan(200);
});

test("its columns are those of claude-mem 13.25, in its order", () => {
  makeExample(path);
  const real = makeSource(join(folder.path, "real.db"), []);
  const columns = "SELECT name, type FROM pragma_table_info('observations')";
  expect(all(columns)).toEqual(all(columns, real));
});

describe("it has what real histories have", () => {
  beforeEach(() => void makeExample(path));

  test("a deep project and a small one", () => {
    const counts = all<{ project: string; n: number }>(
      "SELECT project, count(*) AS n FROM observations GROUP BY 1 ORDER BY n DESC",
    );
    expect(counts.slice(0, 2).map(({ project }) => project)).toEqual(["widgets-api", "tide-charts"]);
    expect(counts[0]?.n ?? 0).toBeGreaterThan(10 * (counts[1]?.n ?? 1));
  });

  test.each([
    [
      "exact duplicates across sessions",
      "SELECT count(*) AS n FROM (SELECT 1 FROM observations GROUP BY title, narrative HAVING count(DISTINCT memory_session_id) > 1)",
    ],
    [
      "ties on one epoch",
      "SELECT count(*) AS n FROM (SELECT 1 FROM observations GROUP BY created_at_epoch HAVING count(*) > 1)",
    ],
    [
      "rows committed late, with an old epoch",
      "SELECT count(*) AS n FROM observations o WHERE created_at_epoch < (SELECT max(created_at_epoch) FROM observations p WHERE p.id < o.id) - 86400000",
    ],
    ["a sensitive row", "SELECT count(*) AS n FROM observations WHERE type = 'sensitive'"],
    ["projects of nobody", "SELECT count(*) AS n FROM observations WHERE project = 'observer-sessions'"],
    [
      "rows of a merged worktree",
      "SELECT count(*) AS n FROM observations WHERE merged_into_project = 'widgets-api'",
    ],
    [
      "a manual memory without a tag",
      "SELECT count(*) AS n FROM observations WHERE subtitle = 'Manual memory' AND concepts = '[]'",
    ],
    [
      "tags that name no cell",
      "SELECT count(*) AS n FROM observations, json_each(concepts) WHERE value = 'testing'",
    ],
  ])("%s", (_, sql) => expect(number(sql)).toBeGreaterThan(0));

  test("one secret, which its source file does not show as such", () => {
    const texts = all<{ narrative: string }>("SELECT narrative FROM observations").filter(({ narrative }) =>
      mayHoldSecret(narrative),
    );
    expect(texts).toHaveLength(1);
    expect(
      mayHoldSecret(readFileSync(join(import.meta.dirname, "..", "..", "seed", "example.ts"), "utf8")),
    ).toBe(false);
  });
});

describe("where something stands already", () => {
  test("an example is made anew", () => {
    makeExample(path);
    const db = new Database(path);
    db.run("DELETE FROM observations WHERE id > 5");
    db.close();
    const { rows } = makeExample(path);
    expect(number("SELECT count(*) AS n FROM observations")).toBe(rows);
  });

  test.each([
    ["a text", () => writeFileSync(path, "my notes")],
    ["an empty file", () => writeFileSync(path, "")],
    ["a database of claude-mem's", () => void makeSource(path, [{ project: "mine", title: "mine" }])],
  ])("%s is not touched", (_, prepare) => {
    prepare();
    const before = readFileSync(path);
    expect(() => makeExample(path)).toThrow(expect.objectContaining({ code: "not-an-example" }));
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
