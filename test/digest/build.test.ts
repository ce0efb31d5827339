import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FIRST_EPOCH, type SourceValues } from "../support/claude-mem.ts";
import { Workshop } from "../support/workshop.ts";

/** A row whose mock item is `title`. */
function row(title: string, values: SourceValues = {}): SourceValues {
  return { title, narrative: null, facts: "[]", concepts: '["gotcha"]', project: "app", ...values };
}

const many = (count: number, values: SourceValues = {}) =>
  Array.from({ length: count }, (_, n) => row(`note ${n}`, values));

/** Every observation id that stands in the ledger, with how. */
function ledger(shop: Workshop): Record<number, string> {
  const rows = shop.query<{ id: number; outcome: string }>(
    "SELECT observation_id AS id, outcome FROM ledger ORDER BY 1",
  );
  return Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]));
}

describe("a build", () => {
  test("accounts for every row, leaves the source as it was and a second one writes nothing", async () => {
    using shop = new Workshop([
      ...many(90),
      row("a secret plan", { type: "sensitive" }),
      row("junk", { project: "observer-sessions" }),
      row("", {}),
      row("note 3"),
    ]);
    const source = readFileSync(shop.source);
    const { totals, exit } = await shop.build();
    expect(exit).toBe(0);
    expect(totals).toMatchObject({
      observations: 94,
      folded: 90,
      duplicates: 1,
      skipped: 3,
      skippedBy: { sensitive: 1, "junk-project": 1, empty: 1 },
    });
    expect(readFileSync(shop.source).equals(source)).toBe(true);
    const store = shop.storeBytes();
    expect((await shop.build()).totals.observations).toBe(0);
    expect(shop.storeBytes().equals(store)).toBe(true);
  });

  test("loses no row of a tie that a batch's border cuts", async () => {
    using shop = new Workshop(many(50, { created_at_epoch: FIRST_EPOCH }), {
      MAX_NEW_PER_RUN: "7",
      CELL_BUDGET: "100000",
    });
    await shop.build({ limitBatches: 3 });
    await shop.build();
    expect(shop.cells()["app/gotcha"]).toHaveLength(50);
  });

  test("folds rows that arrive late with an old epoch, and rows far apart", async () => {
    using shop = new Workshop(many(5), { CELL_BUDGET: "100000" });
    await shop.build();
    shop.insert([row("late", { created_at_epoch: FIRST_EPOCH - 9e9 }), row("far", { id: 5_000_000 })]);
    expect((await shop.build()).totals.folded).toBe(2);
    expect(shop.texts()["app/gotcha"]).toEqual(expect.arrayContaining(["late", "far"]));
  });

  test("is not stopped by a row from the future", async () => {
    using shop = new Workshop([row("from 2099", { created_at_epoch: Date.UTC(2099, 0, 1) })]);
    await shop.build();
    shop.insert([row("of today")]);
    expect((await shop.build()).totals.folded).toBe(1);
    const watermark = shop.query<{ epoch: number }>("SELECT source_max_epoch AS epoch FROM digests")[0];
    expect(watermark?.epoch).toBeLessThan(Date.UTC(2090, 0, 1));
  });

  test("adds up with --assign all, each row counted once", async () => {
    using shop = new Workshop([row("both", { concepts: '["gotcha","pattern"]' }), row("one")]);
    const { totals, projects } = await shop.build({ assign: "all" });
    expect(totals).toMatchObject({ observations: 2, folded: 2 });
    expect(projects[0]?.cells.map((cell) => [cell.type, cell.folded])).toEqual([
      ["gotcha", 2],
      ["pattern", 1],
    ]);
  });

  test("of one project leaves the others for later", async () => {
    using shop = new Workshop([row("a", { project: "one" }), row("b", { project: "two" })]);
    await shop.build({}, ["one"]);
    expect(Object.keys(shop.cells())).toEqual(["one/gotcha"]);
    expect((await shop.build()).totals.folded).toBe(1);
  });

  test("of an unknown project names near ones", async () => {
    using shop = new Workshop([row("a", { project: "widgets" })]);
    await expect(shop.build({}, ["widgest"])).rejects.toMatchObject({
      code: "unknown-project",
      exit: 2,
      hint: expect.stringContaining("widgets"),
    });
  });

  test("of an unknown type names near ones", async () => {
    using shop = new Workshop(many(2));
    await expect(shop.build({ type: "gotchas" })).rejects.toMatchObject({
      code: "unknown-type",
      exit: 2,
      hint: "did you mean gotcha?",
    });
  });

  test("takes a project by an old name, too", async () => {
    using shop = new Workshop([row("here", { project: "new name" })]);
    await shop.build({ limitBatches: 1 });
    shop.query("INSERT INTO aliases (old, new) VALUES ('old', 'new name') RETURNING old");
    shop.insert([row("there", { project: "old" })]);
    expect((await shop.build({}, ["old"])).totals.folded).toBe(1);
  });

  test("of one type leaves a row's other cells for later", async () => {
    using shop = new Workshop([row("both", { concepts: '["gotcha","pattern"]' })]);
    await shop.build({ assign: "all", type: "pattern" });
    await shop.build({ assign: "all" });
    expect(shop.texts()).toEqual({ "app/gotcha": ["both"], "app/pattern": ["both"] });
  });

  test("of one type loses no row that moved to another", async () => {
    using shop = new Workshop([row("retagged")]);
    await shop.build();
    shop.change((db) => db.run(`UPDATE observations SET concepts = '["pattern"]', sync_rev = '2'`));
    await shop.build({ type: "decision" });
    await shop.build();
    expect(shop.texts()["app/pattern"]).toEqual(["retagged"]);
  });

  test("finds cells however types and vocabulary are spelt", async () => {
    using shop = new Workshop(
      [
        row("by type", { type: "Trade_Off", concepts: null }),
        row("by tag", { concepts: '["trade off: why"]' }),
      ],
      { CONCEPTS: "Gotcha, Trade Off, gotcha" },
    );
    await shop.build({ assign: "all" });
    expect(shop.texts()).toEqual({ "app/trade-off": ["by type", "by tag"] });
  });

  test("does not wait until 2099 for a row of a wrong clock to settle", async () => {
    using shop = new Workshop([row("from 2099", { created_at_epoch: Date.UTC(2099, 0, 1) })], {
      SETTLE_MINUTES: "10",
    });
    expect((await shop.build()).totals.folded).toBe(1);
  });

  test("leaves unsettled rows for the next run", async () => {
    using shop = new Workshop([row("old"), row("young", { created_at_epoch: Date.now() })], {
      SETTLE_MINUTES: "10",
    });
    expect((await shop.build()).totals.folded).toBe(1);
    shop.env["SETTLE_MINUTES"] = "0";
    expect((await shop.build()).totals.folded).toBe(1);
  });

  test("plans without writing", async () => {
    using shop = new Workshop([...many(60), row("note 1")]);
    const plan = await shop.build({ dryRun: true });
    expect(plan.totals).toMatchObject({ observations: 61, folded: 60, duplicates: 1 });
    expect(() => shop.storeBytes()).toThrow("ENOENT");
  });

  test.each([{}, { limitBatches: 1 }, { type: "gotcha" }])("plans what it then does: %j", async (flags) => {
    const rows = [...many(90), row("note 1"), row("a decision", { concepts: '["decision"]' })];
    using shop = new Workshop([...rows, row("left out", { type: "sensitive" })]);
    const cellsOf = ({ projects }: Awaited<ReturnType<Workshop["build"]>>) =>
      projects.map(({ project, cells }) => [project, cells.map((cell) => [cell.type, cell.folded])]);
    const plan = await shop.build({ ...flags, dryRun: true });
    const done = await shop.build(flags);
    expect(plan.totals).toMatchObject(done.totals);
    expect(cellsOf(plan)).toEqual(cellsOf(done));
    const [shape] = done.projects[0]?.cells ?? [];
    expect(Object.keys(plan.projects[0]?.cells[0] ?? {})).toEqual(
      expect.arrayContaining(Object.keys(shape ?? {})),
    );
  });
});

describe("duplicates", () => {
  test("of earlier runs reach no merge again and stand in the item's sources", async () => {
    using shop = new Workshop([row("The port is 3000")]);
    await shop.build();
    shop.insert([row("the port  is 3000."), row("the port is 4000")]);
    expect((await shop.build()).totals).toMatchObject({ folded: 1, duplicates: 1 });
    expect(shop.cells()["app/gotcha"]?.map((item) => item.sources)).toEqual([[1, 2], [3]]);
  });

  test("of a project don't depend on the order in which cells run", async () => {
    const rows = Array.from({ length: 30 }, (_, n) =>
      row(`note ${n % 10}`, { concepts: n % 2 ? '["gotcha"]' : '["pattern"]' }),
    );
    using one = new Workshop(rows, { MERGE_CONCURRENCY: "1" });
    using four = new Workshop(rows, { MERGE_CONCURRENCY: "4" });
    await Promise.all([one.build(), four.build()]);
    expect(four.cells()).toEqual(one.cells());
  });
});

const PARAPHRASED =
  "The worker restarts itself after the queue of the shared service was found full at night";

describe("a copy of a paraphrase", () => {
  const rows = [
    row("first", { narrative: PARAPHRASED }),
    row("first", { narrative: PARAPHRASED.replace("full", "full again") }),
  ];

  test.each(["in the same run", "in a later one"])(
    "stands with the row that stands for both, %s",
    async (when) => {
      using shop = new Workshop(rows);
      const [, paraphrase] = rows;
      if (when === "in a later one") await shop.build();
      shop.insert([paraphrase ?? {}]);
      await shop.build();
      expect(shop.cells()["app/gotcha"]?.map((item) => item.sources)).toEqual([[1, 2, 3]]);
      shop.change((db) => db.run("DELETE FROM observations WHERE id < 3"));
      await shop.build();
      expect(shop.cells()["app/gotcha"]?.map((item) => item.sources)).toEqual([[3]]);
      expect(ledger(shop)).toEqual({ 3: "f" });
    },
  );
});

describe("rows that change in place", () => {
  test("move with their project, at every build", async () => {
    using shop = new Workshop([row("stays"), row("goes")]);
    await shop.build();
    shop.change((db) => db.run("UPDATE observations SET project = 'other' WHERE id = 2"));
    await shop.build();
    expect(shop.texts()).toEqual({ "app/gotcha": ["stays"], "other/gotcha": ["goes"] });
  });

  test("move when a worktree is adopted", async () => {
    using shop = new Workshop([row("of the branch", { project: "app/branch" })]);
    await shop.build();
    shop.change((db) => db.run("UPDATE observations SET merged_into_project = 'app'"));
    await shop.build();
    expect(shop.texts()).toEqual({ "app/branch/gotcha": [], "app/gotcha": ["of the branch"] });
  });

  test("move with their tags where claude-mem counts revisions", async () => {
    using shop = new Workshop([row("retagged")]);
    await shop.build();
    shop.change((db) => db.run(`UPDATE observations SET concepts = '["pattern"]', sync_rev = '2'`));
    await shop.build();
    expect(shop.texts()).toEqual({ "app/gotcha": [], "app/pattern": ["retagged"] });
  });

  test("move with their tags by --rescan where nothing else tells", async () => {
    using shop = new Workshop([row("retagged")]);
    await shop.build();
    shop.change((db) => db.run(`UPDATE observations SET concepts = '["pattern"]'`));
    await shop.build();
    expect(shop.texts()["app/gotcha"]).toEqual(["retagged"]);
    await shop.build({ rescan: true });
    expect(shop.texts()["app/pattern"]).toEqual(["retagged"]);
  });

  test("are new rows when they say something else", async () => {
    using shop = new Workshop([row("kept"), row("kept as well"), row("before")]);
    await shop.build();
    shop.change((db) => db.run("UPDATE observations SET title = 'after' WHERE id = 3"));
    await shop.build();
    expect(shop.texts()["app/gotcha"]).toEqual(["kept", "kept as well", "after"]);
  });

  test("move with an alias", async () => {
    using shop = new Workshop([row("renamed")]);
    await shop.build();
    shop.query("INSERT INTO aliases (old, new) VALUES ('app', 'application') RETURNING old");
    await shop.build();
    expect(shop.texts()["application/gotcha"]).toEqual(["renamed"]);
  });

  test("leave when their project is excluded, and come back", async () => {
    using shop = new Workshop([row("private", { project: "client-x" }), row("mine")]);
    await shop.build();
    shop.env["EXCLUDED_PROJECTS"] = "client-*";
    await shop.build();
    expect(shop.texts()["client-x/gotcha"]).toEqual([]);
    expect(ledger(shop)).toEqual({ 1: "s", 2: "f" });
    shop.env["EXCLUDED_PROJECTS"] = "";
    await shop.build();
    expect(shop.texts()["client-x/gotcha"]).toEqual(["private"]);
  });
});

describe("rows that vanish", () => {
  test("leave the digest for the archive, a few of them", async () => {
    using shop = new Workshop(many(10));
    await shop.build();
    shop.change((db) => db.run("DELETE FROM observations WHERE id = 4"));
    const { exit, withdrawn } = await shop.build();
    expect([exit, withdrawn]).toEqual([0, 1]);
    expect(shop.texts()["app/gotcha"]).not.toContain("note 3");
    expect(shop.query("SELECT text, kind FROM archive WHERE kind = 'withdrawn'")).toEqual([
      { text: "note 3", kind: "withdrawn" },
    ]);
  });

  test("are replaced by a duplicate of theirs", async () => {
    using shop = new Workshop([row("said twice"), row("said twice"), row("said twice")]);
    await shop.build();
    shop.change((db) => db.run("DELETE FROM observations WHERE id = 1"));
    await shop.build();
    expect(shop.cells()["app/gotcha"]?.map((item) => item.sources)).toEqual([[2, 3]]);
    expect(ledger(shop)).toEqual({ 2: "f", 3: "d" });
  });

  const LOSSES: [string, (db: { run(sql: string): unknown }) => void][] = [
    ["many at once", (db) => db.run("DELETE FROM observations WHERE id BETWEEN 10 AND 60")],
    ["an older copy: the greatest id fell", (db) => db.run("DELETE FROM observations WHERE id > 98")],
  ];
  test.each(LOSSES)("are not believed: %s", async (_, loss) => {
    using shop = new Workshop(many(100), { CELL_BUDGET: "100000" });
    await shop.build();
    shop.change(loss);
    expect(await shop.build()).toMatchObject({ exit: 4, doubt: expect.stringMatching(/missing|vanished/) });
    expect(shop.cells()["app/gotcha"]).toHaveLength(100);
    expect((await shop.build()).exit).toBe(4); // and not forgotten either
    expect((await shop.build({ acceptDeletions: true })).exit).toBe(0);
    expect(shop.cells()["app/gotcha"]?.length).toBeLessThan(100);
  });

  test("are kept, and others under their ids left out, until somebody believes it", async () => {
    using shop = new Workshop(many(60), { CELL_BUDGET: "100000" });
    await shop.build();
    const before = shop.texts();
    shop.change((db) => {
      db.run("DELETE FROM observations WHERE id > 30");
      db.run("UPDATE sqlite_sequence SET seq = 30");
    });
    shop.insert(Array.from({ length: 30 }, (_, n) => row(`anew ${n}`)));
    expect(await shop.build()).toMatchObject({ exit: 4, totals: { observations: 0 } });
    expect(shop.texts()).toEqual(before);
    expect((await shop.build({ acceptDeletions: true })).exit).toBe(0);
    const texts = shop.texts()["app/gotcha"];
    expect(texts).toHaveLength(60);
    expect(texts).toContain("anew 29");
    expect(texts).not.toContain("note 45");
  });

  test("and new ones under their ids are folded: a restored backup that went on", async () => {
    using shop = new Workshop(many(30));
    await shop.build();
    shop.change((db) => {
      db.run("DELETE FROM observations WHERE id > 25");
      db.run("UPDATE sqlite_sequence SET seq = 25");
    });
    shop.insert(Array.from({ length: 8 }, (_, n) => row(`anew ${n}`)));
    await shop.build({ acceptDeletions: true });
    const texts = shop.texts()["app/gotcha"];
    expect(texts).toContain("anew 7");
    expect(texts).not.toContain("note 27");
    expect(Object.keys(ledger(shop))).toHaveLength(33);
  });
});

describe("another source", () => {
  test("is refused and can be adopted", async () => {
    using shop = new Workshop(many(5));
    using other = new Workshop([row("elsewhere 1"), row("elsewhere 2")]);
    await shop.build();
    shop.env["CLAUDE_MEM_DB"] = other.source;
    await expect(shop.build()).rejects.toMatchObject({ code: "other-source", exit: 4 });
    expect(shop.texts()["app/gotcha"]).toHaveLength(5);
    await shop.build({ adoptSource: true });
    expect(shop.texts()["app/gotcha"]).toEqual(["elsewhere 1", "elsewhere 2"]);
    expect(shop.query("SELECT count(*) AS n FROM archive WHERE kind = 'withdrawn'")).toEqual([{ n: 5 }]);
  });
});

describe("a source whose marked rows are all gone", () => {
  const forgetMarks = (shop: Workshop) =>
    shop.query("DELETE FROM meta WHERE key = 'source-identity' RETURNING key");

  test("is known by its other rows and marked by them", async () => {
    using shop = new Workshop(many(60), { CELL_BUDGET: "100000" });
    using other = new Workshop(Array.from({ length: 60 }, (_, n) => row(`elsewhere ${n}`)));
    await shop.build();
    shop.change((db) => db.run("DELETE FROM observations WHERE id <= 10"));
    expect((await shop.build()).exit).toBe(0);
    const own = shop.source;
    shop.env["CLAUDE_MEM_DB"] = other.source;
    await expect(shop.build()).rejects.toMatchObject({ code: "other-source" });
    shop.env["CLAUDE_MEM_DB"] = own;
    expect((await shop.build()).exit).toBe(0);
  });

  test.each([
    [
      "after a first build that was cut off",
      (shop: Workshop) => void forgetMarks(shop),
      many(5, { narrative: "Other words." }),
    ],
    ["by ids that none of its rows has", () => undefined, [row("far", { id: 5000 })]],
  ])("is told from another, %s", async (_, prepare, rows) => {
    using shop = new Workshop(many(30));
    using other = new Workshop(rows);
    await shop.build();
    prepare(shop);
    shop.env["CLAUDE_MEM_DB"] = other.source;
    await expect(shop.build()).rejects.toMatchObject({ code: "other-source", exit: 4 });
  });
});

describe("a changed setting", () => {
  test("a lower budget sends whole items to the archive", async () => {
    using shop = new Workshop(many(60), { CELL_BUDGET: "2400" });
    await shop.build();
    shop.env["CELL_BUDGET"] = "200";
    await shop.build();
    const items = shop.cells()["app/gotcha"] ?? [];
    expect(items.reduce((sum, item) => sum + item.text.length + 1, 0)).toBeLessThanOrEqual(200);
    expect(shop.query("SELECT count(*) AS n FROM archive WHERE kind = 'evicted'")).toEqual([
      { n: 60 - items.length },
    ]);
  });

  test("another vocabulary takes duplicates along with the row that stands for them", async () => {
    using shop = new Workshop([row("said twice"), row("said twice"), row("said twice", { concepts: "[]" })]);
    await shop.build();
    shop.env["CONCEPTS"] = "pattern";
    await shop.build();
    expect(shop.texts()).toEqual({ "app/gotcha": [], "app/other": ["said twice"] });
    expect(ledger(shop)).toEqual({ 1: "f", 2: "d", 3: "d" });
  });

  test("another vocabulary moves rows", async () => {
    using shop = new Workshop([row("tagged", { concepts: '["alpha"]' })]);
    await shop.build();
    expect(shop.texts()["app/other"]).toEqual(["tagged"]);
    shop.env["CONCEPTS"] = "alpha,beta";
    await shop.build();
    expect(shop.texts()["app/alpha"]).toEqual(["tagged"]);
  });
});
