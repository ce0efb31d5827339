/**
 * Sizes are UTF-16 units (`string.length`): the unit that Claude Code's caps count in, measured for
 * MEMORY.md (25,000) and for hook values (10,000).
 */
export function clipUnits(text: string, units: number): string {
  if (text.length <= units) return text;
  return text.slice(0, splitsSurrogate(text, units) ? units - 1 : units);
}

function splitsSurrogate(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff;
}
