import fc from "fast-check";
import { visit } from "unist-util-visit";
import { expect, test } from "vitest";
import { wikilinks } from "../../src/knowledge/links.ts";
import { parseCommonMark } from "../../src/text/markdown.ts";

test.each([
  ["[[concepts/a]]", ["concepts/a"]],
  ["[[concepts/a|words]] [[concepts/b#part]] [[c.md]]", ["concepts/a", "concepts/b", "c"]],
  ["| [[concepts/a\\|words]] | x |", ["concepts/a"]],
  ["[[./concepts/a]] [[knowledge/concepts/b]]", ["concepts/a", "concepts/b"]],
  ["![[concepts/a]]", ["concepts/a"]],
  ["`[[a]]` ``[[b]] ` `` [[c]]", ["c"]],
  ["one ` tick [[a]]\n\nanother ` tick", ["a"]],
  ["```\n[[a]]\n```\n[[b]]", ["b"]],
  ["~~~~ sh\n[[a]]\n~~~\n[[b]]\n~~~~\n[[c]]", ["c"]],
  ["- item\n\n  ```\n  [[a]]\n  ```\n\n  [[b]]", ["b"]],
  ["text\n\n    [[a]]\n\ntext", []],
  ["- item\n\n    [[a]] belongs to the item", ["a"]],
  ["<!-- [[a]]\n[[b]] --> [[c]]", ["c"]],
  ["`<!--` [[a]] `-->`", ["a"]],
  ['if [[ -f x ]] && [[ "$a" == b ]]', []],
  ["\\[[a]]", []],
  ["[[#part]] [[]] [[a\nb]]", []],
  ["unclosed ``` [[a]]", ["a"]],
  ["~~~\r\n[[a]]\r\n~~~\r\n[[b]]\r\n\r\n` [[c]]\r\n\r\n`", ["b", "c"]],
])("%j", (text, targets) => {
  expect(wikilinks(text)).toEqual(targets);
});

test("what is code is code to a markdown parser, too", () => {
  const piece = fc.constantFrom(
    "[[x]]",
    "word",
    " ",
    "\n",
    "\n\n",
    "`",
    "``",
    "```\n",
    "\n```\n",
    "\n~~~\n",
    "\n    ",
    "\n- item\n",
    "\n## Heading\n",
    "> ",
    "\n1. one\n",
    "**bold**",
    "| a | b |\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      // numbered, so that one link cannot be taken for another
      const text = pieces.map((part, n) => part.replace("x", `x${n}`)).join("");
      fc.pre(isPlain(text));
      expect(wikilinks(text).toSorted()).toEqual(parsedLinks(text).toSorted());
    }),
    { numRuns: 600 },
  );
});

/** Left to the parser: code inside quotes and code in lists by indentation, which people don't write links in. */
function isPlain(text: string): boolean {
  const nested = /^\s*>/m.test(text) || (/^\s*(?:-|1\.) /m.test(text) && /^ {4}/m.test(text));
  return !nested && !/^[ ]{4,}(?:```|~~~)/m.test(text);
}

function parsedLinks(text: string): string[] {
  const code = new Set<string>();
  visit(parseCommonMark(text), (node) => {
    if (node.type === "code" || node.type === "inlineCode")
      for (const [link] of (node.type === "code"
        ? `${node.value} ${node.lang ?? ""} ${node.meta ?? ""}`
        : node.value
      ).matchAll(/x\d+/g))
        code.add(link);
  });
  return Array.from(text.matchAll(/\[\[(x\d+)\]\]/g), ([, link = ""]) => link).filter(
    (link) => !code.has(link),
  );
}
