import fc from "fast-check";
import { expect, test } from "vitest";
import { addToEdited } from "../../src/knowledge/edited.ts";

const line = fc.constantFrom(
  "- one",
  "- two",
  "- **bold** point",
  "A sentence.",
  "Another one\nover two lines.",
  "1. first",
  "```sh\nmake\n```",
  "",
);
const page = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        "# Title",
        "## Key Points",
        "## Details",
        "## Related Concepts",
        "## Sources",
        "## Mine",
      ),
      fc.array(line, { maxLength: 5 }),
    ),
    { maxLength: 6 },
  )
  .map((sections) => sections.map(([heading, lines]) => [heading, "", ...lines].join("\n")).join("\n\n"));

const words = (text: string) => text.split("\n").filter((part) => part.trim() !== "");

test("every line of the person's stays, in its order; every line that is new arrives once", () => {
  fc.assert(
    fc.property(page, page, (mine, addition) => {
      const text = addToEdited(mine, addition);
      const result = words(text);
      let from = 0;
      for (const own of words(mine)) {
        const at = result.indexOf(own, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + 1;
      }
      for (const added of words(addition).filter((line_) => !line_.startsWith("#")))
        expect(result).toContain(added);
      expect(addToEdited(text, addition)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test.each([
  [
    "a bullet joins its list",
    "## Key Points\n\n- one\n\n## Sources\n\n- x",
    "## Key Points\n\n- one\n- two",
    "## Key Points\n\n- one\n- two\n\n## Sources\n\n- x\n",
  ],
  [
    "a new section comes before the sources",
    "# T\n\nText.\n\n## Sources\n\n- x",
    "## Details\n\nMore.",
    "# T\n\nText.\n\n## Details\n\nMore.\n\n## Sources\n\n- x\n",
  ],
  ["the same in other dress is not new", "- **one** thing", "- one  thing", "- **one** thing\n"],
  [
    "a heading in a code block is no section",
    "# T\n\n```\n# no\n```",
    "# T\n\n- two",
    "# T\n\n```\n# no\n```\n\n- two\n",
  ],
])("%s", (_, mine, addition, expected) => {
  expect(addToEdited(mine, addition)).toBe(expected);
});
