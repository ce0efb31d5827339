import { z } from "zod";
import { type Asked, type Reading, ask, findObject } from "../knowledge/answer.ts";
import type { Model } from "../model/model.ts";
import { oneLine } from "../text/sentences.ts";
import { readText } from "../text/words.ts";
import { emptyDocument, splitLines } from "./document.ts";
import { baseOf, linksOf } from "./links.ts";
import type { MergeGroup } from "./merge.ts";
import { mergePrompt } from "./prompts/merge.ts";
import { type Entry, outlineOf } from "./outline.ts";

const Answer = z.object({
  groups: z.array(z.object({ entries: z.array(z.number().int()), text: z.string() })),
});

/**
 * Asks a model which entries are one and for the line that says what they said. A line that invents an
 * identifier, number or path, drops a hedge, or is no single entry is rejected; a link that it left out
 * is noted in it as `— absorbed NAME.md`.
 */
export async function modelGroups(
  entries: readonly Entry[],
  model: Model,
  signal: AbortSignal,
): Promise<Asked<MergeGroup[]>> {
  const numbered = entries.map((entry, at) => ({
    number: at + 1,
    text: oneLine(`${entry.head} ${entry.nested}`),
  }));
  return ask(model, mergePrompt(numbered), (answer) => readGroups(answer, entries), signal);
}

function readGroups(answer: string, entries: readonly Entry[]): Reading<MergeGroup[]> {
  const parsed = Answer.safeParse(findObject(answer));
  if (!parsed.success) return { kind: "unreadable", findings: ['the answer is not {"groups":[…]}'] };
  const used = new Set<number>();
  const findings: string[] = [];
  const groups = parsed.data.groups.flatMap((group, at): MergeGroup[] => {
    const wrong = (what: string) => {
      findings.push(`group ${at + 1}: ${what}`);
      return [];
    };
    const members = [...new Set(group.entries)].flatMap((number) => entries[number - 1] ?? []);
    if (members.length < 2 || members.length < group.entries.length)
      return wrong("it must name two or more entries that you were given");
    if (group.entries.some((number) => used.has(number)))
      return wrong("an entry of it stands in another group");
    for (const number of group.entries) used.add(number);
    if (members.some(({ kind }) => kind === "row")) return wrong("rows of a table cannot become a list item");
    const text = group.text.trim();
    const fault = faultOf(text, members);
    return fault === null
      ? [{ entries: members, line: { kind: "written", text: withMarks(text, members) } }]
      : wrong(fault);
  });
  return findings.length === 0 ? { kind: "read", value: groups } : { kind: "rejected", findings };
}

function faultOf(text: string, members: readonly Entry[]): string | null {
  const written = outlineOf({ ...emptyDocument("\n"), lines: splitLines(text) }).entries;
  if (written.length !== 1 || /[\r\n]/.test(text)) return "its text is not one list item on one line";
  const [now, was] = [
    readText(text),
    readText(members.map(({ head, nested }) => `${head}\n${nested}`).join("\n")),
  ];
  const known = new Set(was.tokens);
  const invented = now.tokens.find((token) => !known.has(token));
  if (invented !== undefined) return `no entry says ${JSON.stringify(invented)}`;
  if (was.hedges > 0 && now.hedges === 0) return "the entries are less certain than its text";
  const longest = members.reduce((units, { head, nested }) => units + head.length + nested.length, 0);
  return text.length > longest ? "its text is longer than the entries together" : null;
}

function withMarks(text: string, members: readonly Entry[]): string {
  const kept = new Set(linksOf(text).map(({ target }) => target));
  const absorbed = members
    .flatMap(({ links }) => links)
    .filter(({ target }) => /\.md$/i.test(target) && !kept.has(target))
    .map(({ target }) => baseOf(target));
  return [text, ...new Set(absorbed)].join(" — absorbed ");
}
