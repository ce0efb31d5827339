/** `2026-04-01`, by the local clock. Loads nothing: a session waits for it. */
export function localDay(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** `14:30`, by the local clock. */
export function localTime(at: Date): string {
  return `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
