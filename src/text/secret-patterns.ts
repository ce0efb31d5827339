import { type Redaction, mask } from "./mask.ts";

/** Masks what secretlint leaves out, and what it would mask too much of. */
export function maskPatterns(text: string): Redaction {
  let masked = 0;
  for (const { kind, find, isSecret } of PATTERNS) {
    text = text.replace(find, (match: string, ...rest: unknown[]) => {
      const secret = secretOf(match, rest.at(-1));
      if (isSecret !== undefined && !isSecret(secret)) return match;
      masked++;
      return match.slice(0, match.length - secret.length) + mask(kind);
    });
  }
  return { text, masked };
}

function secretOf(match: string, groups: unknown): string {
  if (typeof groups !== "object" || groups === null) return match;
  const { secret, quoted } = groups as { secret?: string; quoted?: string };
  return secret ?? quoted ?? match;
}

interface Pattern {
  kind: string;
  /** The secret ends the match: the group `secret` or `quoted`, else all of it. */
  find: RegExp;
  /** Says no to values that only stand where a secret would. */
  isSecret?: (value: string) => boolean;
}

/** They run before secretlint: it would mask a whole connection string, host and database included. */
const PATTERNS: readonly Pattern[] = [
  {
    // Also encrypted keys and keys whose end was cut off.
    kind: "private-key",
    find: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*(?:[A-Za-z-]+: [^\n\\]*(?:\s|\\[nr])+)*(?=[A-Za-z0-9+/=]{16})(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[nr])+)*[A-Za-z0-9+/=]*(?:\s|\\[nr])*(?:-----END [A-Z0-9 ]*-----)?/g,
  },
  {
    // secretlint lets the key of AWS's own examples through; it costs nothing to mask it too.
    kind: "aws-access-key",
    find: /\b(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}\b/g,
  },
  { kind: "url-token", find: /:\/\/(?<secret>[^\s/@:]+:x-oauth-basic)(?=@)/g, isSecret: isNoTemplate },
  {
    kind: "url-password",
    find: /:\/\/[^\s:/@]*:(?!x-oauth-basic@)(?<secret>[^\s/"'<>`]+)(?=@)/g,
    isSecret: isNoTemplate,
  },
  { kind: "jwt", find: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g },
  { kind: "google-api-key", find: /\bAIza[\w-]{35}/g },
  { kind: "api-key", find: /\bsk-(?=[\w-]*\d)[\w-]{20,}/g },
  {
    kind: "authorization",
    find: /(?:\bbearer\s{1,3}|\bauthorization\\?["'`]?\s{0,3}[:=]\s{0,3}\\?["'`]?(?:basic|token|apikey)\s{1,3})(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
    isSecret: (value) => /\d/.test(value) || value.length >= 24,
  },
  {
    kind: "password",
    find: assigned("(?:passw(?:or)?d|passphrase|pwd)s?", "=|:="),
    isSecret: (value) => value.length >= 4 && !isPlaceholder(value),
  },
  {
    // After a colon it may as well be a sentence.
    kind: "password",
    find: assigned("(?:passw(?:or)?d|passphrase|pwd)s?", ":|=>"),
    isSecret: (value) => value.length >= 4 && /[^A-Za-z.]/.test(value) && !isPlaceholder(value),
  },
  {
    kind: "secret",
    find: assigned(
      "(?:secret|token|(?:api|access|private|auth|signing|encryption|account|secret|client)[_-]?key|credential)s?",
      "[:=]|:=|=>",
    ),
    isSecret: (value) => looksRandom(value) && !isPlaceholder(value),
  },
];

/**
 * The value that a name is given: `name=value`, `"name": "value"`, `NAME: 'value'`. Never a comparison,
 * and not the prose behind the quotes that end in "name=".
 */
function assigned(name: string, connector: string): RegExp {
  const gives = String.raw`\s{0,3}(?:${connector})(?![=>])\s{0,3}`;
  const closed = String.raw`(?:\\?["'\`]|(?<!["'\`][\w.-]*))`;
  const quoted = String.raw`(?<quote>\\?["'\`])(?<quoted>(?:(?!\k<quote>)[^\n]){4,})(?=\k<quote>|$)`;
  const bare = String.raw`(?<secret>[^\s"'\`,;\\[][^\s"'\`,;\\]{2,}[^\s"'\`,;:\\.)\]}>])`;
  return new RegExp(String.raw`${name}(?:${closed}${gives}${quoted}|\\?["'\`]?${gives}${bare})`, "gi");
}

/** Not `${VAR}`, `<your key>`, `{{ password }}`, `%PASSWORD%`, `****`, and not masked already. */
function isNoTemplate(value: string): boolean {
  return !/^(?:\$(?:[{(]|\w+$)|<|\{|%[A-Za-z_]+%|\[|\*+$|\.+$)/.test(value);
}

/** Words that stand where a secret would: types, code, instructions. */
function isPlaceholder(value: string): boolean {
  if (!isNoTemplate(value)) return true;
  if (/^(?:~|\.{0,2})\//.test(value)) return true; // a path
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|::|\?\.)[A-Za-z_$][\w$]*)*[([<]/.test(value)) return true; // a call, an index, a type
  if (/^[A-Za-z_$][A-Za-z_$]*(?:(?:\.|::|\?\.)[A-Za-z_$]+)+$/.test(value)) return true; // a.property.path
  return /^(?:string|str|text|number|int|bool(?:ean)?|null|none|nil|undefined|true|false|void|any|unknown|required|optional|empty|hidden|redacted|example|placeholder|passw(?:or)?d|secret|token|key|value|your\W.*|your[_-].*|x+)$/i.test(
    value,
  );
}

/** Letters and digits mixed as no word, path, version or identifier mixes them. */
function looksRandom(value: string): boolean {
  if (value.length < 8 || !/[A-Za-z]/.test(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (digits < (value.length < 16 ? 2 : 1)) return false;
  if (digits < 5 && /[A-Z][a-z]{4,}$/.test(value)) return false; // X509Credential
  return !/^[A-Za-z]*\d{0,4}(?:[-_./:]+[A-Za-z]*\d{0,4})+$/.test(value);
}
