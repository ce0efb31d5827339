/**
 * Looks through a text once for words that begin in one of some ways, in any case. Returns a function
 * from a text to the groups that it may have a word of: bit n for the n-th group. What is not found is not
 * there. A regular expression of as many alternatives takes ten times as long, and this is asked of every
 * statement.
 *
 * `groups`: ASCII beginnings, in lower case; with `$` at the end, whole words. One of less than three
 * letters is only found where something follows it.
 */
export function findBeginnings(groups: readonly (readonly string[])[]): (text: string) => number {
  const table = new Map<number, Beginning[]>();
  const isStart = new Int32Array(1 << 10); // a bit a key: it stays in the cache
  for (const [group, beginnings] of groups.entries()) {
    for (const beginning of beginnings) {
      const whole = beginning.endsWith("$");
      const letters = whole ? beginning.slice(0, -1) : beginning;
      for (const key of keysOf(letters)) {
        isStart[key >> 5] = (isStart[key >> 5] as number) | (1 << (key & 31));
        table.set(key, [...(table.get(key) ?? []), { letters, whole, bit: 1 << group }]);
      }
    }
  }
  const all = 2 ** groups.length - 1;
  return (text) => {
    const end = text.length - 2;
    let found = 0;
    let inWord = 0;
    for (let at = 0; at < end; at++) {
      const code = text.charCodeAt(at);
      const before = inWord;
      inWord = code < 128 ? (WORD_SIGNS[code] as number) : 0;
      if (inWord <= before) continue;
      const key = keyOf(code, text.charCodeAt(at + 1), text.charCodeAt(at + 2));
      if ((((isStart[key >> 5] as number) >>> (key & 31)) & 1) === 0) continue;
      for (const one of table.get(key) ?? []) if (stands(text, at, one)) found |= one.bit;
      if (found === all) break;
    }
    return found;
  };
}

interface Beginning {
  letters: string;
  whole: boolean;
  bit: number;
}

function stands(text: string, start: number, { letters, whole }: Beginning): boolean {
  const end = start + letters.length;
  if (end > text.length) return false;
  for (let at = 1; at < letters.length; at++) {
    if ((text.charCodeAt(start + at) | 32) !== letters.charCodeAt(at)) return false;
  }
  return !whole || end === text.length || !isWordSign(text.charCodeAt(end));
}

function keyOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
}

/** Two letters may stand before anything. */
function keysOf(letters: string): number[] {
  const [first = 0, second = 0, third] = Array.from(letters, (letter) => letter.charCodeAt(0));
  const thirds = third === undefined ? Array.from({ length: 32 }, (_, at) => at) : [third];
  return thirds.map((one) => keyOf(first, second, one));
}

const WORD_SIGNS = new Uint8Array(128);
for (let code = 0; code < 128; code++) WORD_SIGNS[code] = /\w/.test(String.fromCharCode(code)) ? 1 : 0;

function isWordSign(code: number): boolean {
  return code < 128 && WORD_SIGNS[code] === 1;
}
