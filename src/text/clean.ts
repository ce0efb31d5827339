import { clipUnits } from "./units.ts";

// oxlint-disable-next-line no-control-regex -- they are what it is for; four times as fast as \p{Cc}
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const ALL_CONTROLS = new RegExp(CONTROLS.source, "g");

/** Whether `cleanText` would leave the text as it is. */
export function isClean(text: string): boolean {
  return text.isWellFormed() && !CONTROLS.test(text);
}

/** Well-formed text without terminal sequences and control characters; line feeds and tabs stay. */
export function cleanText(text: string): string {
  if (isClean(text)) return text;
  return Bun.stripANSI(text.toWellFormed()).replace(/\r\n?/g, "\n").replace(ALL_CONTROLS, "");
}

/** A name on one line, at most `units` long. */
export function cleanName(text: string, units: number): string {
  return clipUnits(cleanText(text).replace(/\s+/g, " ").trim(), units).trimEnd();
}

const PROJECT_UNITS = 200;

/** A project's name as the store has it, whoever asks for it. */
export function cleanProject(name: string): string {
  return cleanName(name, PROJECT_UNITS);
}
