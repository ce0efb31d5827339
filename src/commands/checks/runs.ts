import { existsSync } from "node:fs";
import { type InstalledSchedule, readSchedule } from "../../claude/nightly.ts";
import { type Heartbeat, readHeartbeat } from "../../store/heartbeat.ts";
import { type FailureOverview, readOverview } from "../../store/overview.ts";
import { count } from "../figures.ts";
import { type Check, type Look, readIfUsable } from "./check.ts";

const HOUR_MS = 3_600_000;
/** A night and some slack for a machine that was asleep. */
const NIGHT_HOURS = 26;

/** When a build last ran and how it ended; whether the nightly one still does. */
export const runs: Look = ({ config }) => {
  const heartbeat = readHeartbeat(config.paths.state, config.DIGEST_DB);
  const failures = readIfUsable(config.DIGEST_DB, readOverview)?.failures ?? [];
  return [lastBuild(heartbeat), ...failed(failures), timer(readSchedule(config.paths.state), heartbeat)];
};

function lastBuild(heartbeat: Heartbeat | null): Check {
  if (heartbeat === null)
    return {
      check: "last-build",
      level: "warn",
      message: "no build has run yet",
      hint: "persisted-memory build",
    };
  const { at, outcome, reason } = heartbeat;
  const message = `${at}, ${outcome}${reason === null ? "" : `: ${reason}`}`;
  const isWell = outcome === "done" || outcome === "nothing-new";
  return {
    check: "last-build",
    level: isWell ? "pass" : "warn",
    message,
    ...(isWell ? {} : { hint: "persisted-memory build" }),
  };
}

function failed(failures: readonly FailureOverview[]): Check[] {
  const [last] = failures;
  if (last === undefined) return [];
  return [
    {
      check: "failures",
      level: "warn",
      message: `${count(failures.length, "cell")} could not be folded, ${last.project}/${last.type}: ${last.reason}`,
      hint: "their old digests stand; the next build tries again",
    },
  ];
}

/** A quiet night leaves a heartbeat too, so that a missing one means that nothing ran. */
function timer(schedule: InstalledSchedule | null, heartbeat: Heartbeat | null): Check {
  const check = "schedule";
  if (schedule === null)
    return { check, level: "pass", message: "no nightly run is installed (persisted-memory schedule)" };
  const again = `persisted-memory schedule --at ${schedule.time} --apply`;
  const missing = schedule.files.filter((file) => !existsSync(file));
  if (missing.length > 0)
    return { check, level: "fail", message: `${missing.join(", ")} is gone`, hint: again };
  const last = Math.max(Date.parse(schedule.since), Date.parse(heartbeat?.at ?? schedule.since));
  const hours = Math.round((Date.now() - last) / HOUR_MS);
  const what = `every night at ${schedule.time} by ${schedule.scheduler}`;
  if (hours <= NIGHT_HOURS) return { check, level: "pass", message: what };
  return { check, level: "warn", message: `${what}, but nothing ran for ${hours} hours`, hint: again };
}
