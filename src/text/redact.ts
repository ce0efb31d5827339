import type { Redaction } from "./mask.ts";
import { maskPatterns } from "./secret-patterns.ts";
import { maskFindings } from "./secret-rules.ts";

/**
 * Replaces secrets by `[masked: KIND]`: secretlint's recommended rules, and patterns of our own for
 * what they leave out. Masking a masked text again changes nothing.
 */
export function redact(text: string): Redaction {
  let masked = 0;
  // Where a mask ends what stood before it, a further secret may show.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const once = maskOnce(text);
    if (once.masked === 0) break;
    text = once.text;
    masked += once.masked;
  }
  return { text, masked };
}

/** Two have been enough for all that was tried; no text may hold a build up. */
const MOST_ROUNDS = 5;

function maskOnce(text: string): Redaction {
  if (!mayHoldSecret(text)) return { text, masked: 0 };
  const own = maskPatterns(text);
  if (!libraryMayFind(own.text)) return own;
  const rest = maskFindings(own.text);
  return { text: rest.text, masked: own.masked + rest.masked };
}

/**
 * False only where `redact` would change nothing. Several passes that begin with a rare character each,
 * because that is what the regular expression engine skips to: one alternation of the same words reads
 * 90 MB/s, these together more than 300.
 */
export function mayHoldSecret(text: string): boolean {
  return (
    PREFIXED.test(text) || BARE.some((trigger) => trigger.test(text)) || NAMED.test(text) || BEARER.test(text)
  );
}

/** The same for what secretlint would find. Exported for the test that shows that nothing slips by. */
export function libraryMayFind(text: string): boolean {
  return PREFIXED.test(text) || BARE.some((trigger) => trigger.test(text)) || NAMED_FOR_LIBRARY.test(text);
}

/** What a token begins with, from its separator back. */
const PREFIXED =
  /[_.-](?=[\w.-]{3})(?:(?<=(?:gsk|hf|lin_api|ntn|shp(?:pa|ca|at|ss)|[sr]k_(?:live|test)|gh[pousr]|github_pat|glc|glsa|vc[piark]|dckr_pat|figd|cf(?:k|ut|at)|npm)_|(?:xox[bpaor]|xapp|glpat|tskey|x-oauth)-|(?:SG|hv[sbr])\.)|(?<=sk-)[\w-]{20}|(?<=ops_)ey|(?<=\.)eyJ|--BEGIN)/;

const BARE = [
  /dapi[A-Fa-f0-9]{32}/,
  /A(?:3T[A-Z0-9]|KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)[A-Z0-9]{16}|AIza[\w-]{35}/,
];

/** A name of a secret before `:` or `=` (its last letters first, which most names fail at), or a URL's login. */
const NAMED =
  /[:=](?:(?<=(?:or?d|wd|se|et|en|ey|al|on)s?["'`\\]{0,2}\s{0,3}[:=])(?<=(?:passw(?:or)?d|passphrase|pwd|secret|token|key|credential|authorization)s?\\?["'`]?\s{0,3}[:=])|\/\/(?:[^\s:/@]*:[^\s/@]+@|hooks\.slack))/i;

const NAMED_FOR_LIBRARY = /:\/\/(?:[^\s:/@]*:[^\s/@]+@|hooks\.slack)|secret_?access_?key/i;

const BEARER = /bearer\s/i;
