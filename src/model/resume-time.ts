const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * When a limit ends, from a notice's words: `resets 10:05pm (UTC)`, `resets Sep 14 at 8pm (Europe/Lisbon)`,
 * `…|1762952400`. Without a date it is the next such time after `now`. `undefined` for other words.
 */
export function parseResumeTime(notice: string, now: Date): Date | undefined {
  const epoch = /\|(\d{10})\b/.exec(notice)?.[1];
  if (epoch !== undefined) return new Date(Number(epoch) * 1000);
  const found =
    /resets\s+(?:(?<month>[a-z]{3})[a-z]*\.?\s+(?<day>\d{1,2}),?\s+(?:at\s+)?)?(?<hour>\d{1,2})(?::(?<minute>\d\d))?\s*(?<half>[ap]m)?\s*(?:\((?<zone>[^)]+)\))?/i.exec(
      notice,
    )?.groups;
  if (found === undefined) return undefined;
  try {
    return nextAfter(now, found);
  } catch {
    return undefined; // a zone or date that nobody knows
  }
}

function nextAfter(now: Date, words: Record<string, string | undefined>): Date | undefined {
  const zone = words["zone"] ?? Temporal.Now.timeZoneId();
  const start = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  const time = { hour: hourOf(words), minute: Number(words["minute"] ?? 0), second: 0, millisecond: 0 };
  const at = start.with({ ...time, microsecond: 0, nanosecond: 0 }, { overflow: "reject" });
  const month = words["month"];
  if (month === undefined) return toDate(isAfter(at, start) ? at : at.add({ days: 1 }));
  const dated = at.with(
    { month: MONTHS.indexOf(month.toLowerCase()) + 1, day: Number(words["day"]) },
    { overflow: "reject" },
  );
  // a notice a few hours old still means this year
  return toDate(isAfter(dated, start.subtract({ days: 7 })) ? dated : dated.add({ years: 1 }));
}

function hourOf(words: Record<string, string | undefined>): number {
  const hour = Number(words["hour"]);
  const half = words["half"]?.toLowerCase();
  if (half === undefined) return hour;
  return (hour % 12) + (half === "pm" ? 12 : 0);
}

function isAfter(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  return Temporal.ZonedDateTime.compare(a, b) > 0;
}

function toDate(time: Temporal.ZonedDateTime): Date {
  return new Date(time.epochMilliseconds);
}
