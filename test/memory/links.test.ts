import fc from "fast-check";
import { expect, test } from "vitest";
import { type Target, linksOf, targetsOf } from "../../src/memory/links.ts";

const part = fc.oneof(
  fc.constantFrom(
    "[a](a.md)",
    "[b](<b c.md> 't')",
    "[[wiki]]",
    "[[w|l]]",
    "[r][ref]",
    "[ref]",
    "![i](i.md)",
    "`[c](c.md)`",
    "<!-- [d](d.md) -->",
  ),
  fc.constantFrom(
    "**",
    "*",
    "_",
    "~~",
    "`",
    "``",
    "\\",
    "|",
    "<",
    ">",
    "&amp;",
    "&#97;",
    "[",
    "]",
    "(",
    ")",
    "![",
    "[x] ",
  ),
  fc.constantFrom(
    "text ",
    "[e](e\\_f.md)",
    "[g](g&amp;h.md)",
    "[h](h%20i.md)",
    "<https://x.example>",
    "[n](n(o).md)",
    "[p]( p.md )",
  ),
);
const start = fc.constantFrom(
  "",
  "- ",
  "1. ",
  "> ",
  "# ",
  "    ",
  "\t",
  "```\n",
  "~~~\n",
  "<!-- ",
  "<div>\n",
  "| a | b |\n|---|---|\n| ",
  "[ref]: r.md\n",
  "---\n",
  "  - ",
);
const text = fc
  .array(
    fc.tuple(
      start,
      fc.array(part, { maxLength: 5 }),
      fc.constantFrom("\n", "\n\n", "\r\n", " -->\n", "\n```\n", "\n</div>\n\n"),
    ),
    { maxLength: 8 },
  )
  .map((blocks) => blocks.map(([head, parts, end]) => head + parts.join("") + end).join(""));

test("both parsers see the same links, web addresses aside", () => {
  const sorted = (links: readonly Target[]) =>
    links
      .map(({ kind, target }) => `${kind} ${target}`)
      .filter((link) => !link.includes("https:"))
      .toSorted();
  for (const body of fc.sample(text, { numRuns: 300, seed: 1 })) {
    expect({ body, links: sorted(targetsOf(body)) }).toEqual({ body, links: sorted(linksOf(body)) });
  }
});
