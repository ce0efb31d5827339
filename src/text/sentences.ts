import { clipUnits } from "./units.ts";

/** One line: line breaks, tabs and control characters become spaces, and spaces never stand together. */
export function oneLine(text: string): string {
  const last = text.length - 1;
  if (last < 0) return text;
  const isEven = text.charCodeAt(0) !== SPACE && text.charCodeAt(last) !== SPACE && !UNEVEN.test(text);
  return isEven ? text : collapse(text);
}

const SPACE = 32;
const NEWLINE = 10;

/** Whatever a line must not have: control characters, white space that is no plain space, two spaces together. */
const UNEVEN = /[\p{Cc}\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]|  /u;

function collapse(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u200b]+/gu, " ").trim();
}

/** The sentences of a text, each on one line. Lines of a list are sentences of their own. */
export function sentences(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 ? MAY_END[code] === 0 : !ENDS.includes(text.charAt(at))) continue; // most of a text
    if (code === NEWLINE || endsSentence(text, at)) {
      pushLine(found, text.slice(start, code === NEWLINE ? at : at + 1));
      start = at + 1;
      while (text.charCodeAt(start) === SPACE) start++;
    }
  }
  pushLine(found, text.slice(start));
  return found;
}

const ENDS = ".!?…。！？\"”')";
const MAY_END = new Uint8Array(128);
for (const sign of `\n${ENDS}`) if (sign < "\u0080") MAY_END[sign.charCodeAt(0)] = 1;
const OPENS_SENTENCE = /[\p{Lu}\p{N}\p{Lo}`"'“‘([*_/~-]/u;

/** A full stop, or what closes behind it, with a space and the beginning of another sentence after it. */
function endsSentence(text: string, at: number): boolean {
  const isAscii = text.charCodeAt(at) < 128;
  if (isAscii && (at + 1 >= text.length || text.charCodeAt(at + 1) !== SPACE)) return false;
  const sign = text.charAt(at);
  if ("。！？".includes(sign)) return !"」』”".includes(text.charAt(at + 1)) || text.charAt(at + 1) === "";
  if (!isAscii && text.charCodeAt(at + 1) !== SPACE) return false;
  if ("\"”')".includes(sign))
    return at > 0 && ".!?…".includes(text.charAt(at - 1)) && opensSentence(text, at + 1);
  return (
    opensSentence(text, at + 1) && !(sign === "." && ABBREVIATION.test(text.slice(Math.max(0, at - 8), at)))
  );
}

function opensSentence(text: string, space: number): boolean {
  let at = space;
  while (text.charCodeAt(at) === SPACE) at++;
  if (at >= text.length) return true;
  const code = text.charCodeAt(at);
  return (code >= 65 && code <= 90) || OPENS_SENTENCE.test(text.charAt(at));
}

/** Case counts: `Ms.` is a title, `219 ms.` and `5 s.` end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:[Ee]\.g|[Ii]\.e|vs|etc|[Cc]f|approx|No|[Ff]ig|Mrs?|Ms|Dr|St|\p{Lu})$/u;
const MAY_BULLET = "-*•0123456789";
const BULLET = /^(?:[-*•]|\d+[.)])\s+/;

function pushLine(lines: string[], text: string): void {
  const even = oneLine(text);
  const line = MAY_BULLET.includes(even.charAt(0)) ? even.replace(BULLET, "") : even;
  if (line !== "") lines.push(line);
}

/** The beginning of a line, cut behind a sentence, else behind a word, with `…`; at most `units`. */
export function clipLine(line: string, units: number): string {
  if (line.length <= units) return line;
  const room = clipUnits(line, units - 1);
  const sentence = Math.max(...[". ", "! ", "? ", "。"].map((end) => room.lastIndexOf(end)));
  if (sentence >= units / 2) return `${room.slice(0, sentence + 1)}…`;
  const word = room.lastIndexOf(" ");
  return `${word >= units / 2 ? room.slice(0, word) : room}…`;
}
