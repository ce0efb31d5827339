import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { MASK, type Redaction, mask } from "./mask.ts";

/** Masks what secretlint's recommended rules find. */
export function maskFindings(text: string): Redaction {
  scanned = text;
  findings = [];
  // Of a source, the rules read content, path and extension; a test holds them against secretlint's core.
  const source = { content: text, filePath: "", ext: ".txt", contentType: "text" } as SourceCode;
  for (const check of CHECKS) void check.file?.(source);
  let out = "";
  let at = 0;
  let masked = 0;
  for (const { kind, start, end } of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (text.startsWith(MASK, start)) continue; // it was a secret
    if (start >= at) {
      out += text.slice(at, start) + mask(kind);
      masked++;
    }
    at = Math.max(at, end);
  }
  return { text: out + text.slice(at), masked };
}

type Rule = (typeof rules)[number];
type SourceCode = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

interface Finding {
  kind: string;
  start: number;
  end: number;
}

let scanned = "";
let findings: Finding[] = [];

/**
 * The rules themselves and not secretlint's core: that is asynchronous, keeps a profiling mark for every
 * rule and call for as long as the process lives, and cannot leave out the rule that lets a text switch
 * the others off by the words "secretlint-disable".
 */
const CHECKS = rules
  .filter((rule) => rule.meta.id !== "@secretlint/secretlint-rule-filter-comments")
  .map((rule) => {
    // An account id is no secret, and one that memories need.
    const options = rule.meta.id === "@secretlint/secretlint-rule-aws" ? { enableIDScanRule: true } : {};
    return rule.create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId, data) => ({ message: "", messageId: String(messageId), data }),
        report: ({ message, range }) => {
          if (message.messageId === "AWSAccountID") return;
          findings.push({ kind: kebab(message.messageId), ...place(message.data, range) });
        },
        ignore: () => {},
      },
      options,
    );
  });

/** Three rules report where the name of a secret begins, with the length of the secret. */
function place(data: unknown, [start, end]: readonly [number, number]): { start: number; end: number } {
  for (const value of Object.values(data ?? {})) {
    const at = typeof value === "string" ? scanned.indexOf(value, start) : -1;
    if (at >= start && typeof value === "string") return { start: at, end: at + value.length };
  }
  return { start, end };
}

/** `GITHUB_TOKEN`, `PrivateKey` and `AWSAccessKeyID` as words. */
function kebab(id: string): string {
  return id
    .replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_, a, b, c) =>
      c === undefined ? `${a}-${b}` : `${c}-`,
    )
    .replace(/_/g, "-")
    .toLowerCase();
}
