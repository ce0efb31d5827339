import { join } from "node:path";
import { type Environment, homeDirectory } from "../paths.ts";

export const SCHEDULERS = ["systemd", "launchd", "cron", "windows"] as const;

export type Scheduler = (typeof SCHEDULERS)[number];

/** What is to run every night. */
export interface Nightly {
  hour: number;
  minute: number;
  /** Words of the command line, the program first; no secret among them. */
  words: readonly string[];
  /** What the command says is added to it. */
  log: string;
}

export interface Schedule {
  files: readonly { path: string; content: string }[];
  /** To be run when the files are in place, or before they are removed. `input` goes to stdin. */
  start: readonly Step[];
  stop: readonly Step[];
}

export interface Step {
  words: readonly string[];
  input?: string;
}

const NAME = "persisted-memory";
const LABEL = "persisted-memory.nightly";

/** A line of the crontab that is ours ends with it. */
const CRON_MARK = "# persisted-memory";

/** The system's own scheduler, where it answers. */
export function usualScheduler(env: Environment, platform: NodeJS.Platform): Scheduler {
  if (platform === "win32") return "windows";
  if (platform === "darwin") return "launchd";
  return Bun.which("systemctl", { PATH: env["PATH"] ?? "" }) !== null && env["XDG_RUNTIME_DIR"]
    ? "systemd"
    : "cron";
}

/** What has to be written and run for a night's job. `crontab`: the person's table as it is, for `cron`. */
export function scheduleFor(
  scheduler: Scheduler,
  nightly: Nightly,
  { env, crontab }: { env: Environment; crontab: string },
): Schedule {
  switch (scheduler) {
    case "systemd":
      return systemd(nightly, env);
    case "launchd":
      return launchd(nightly, env);
    case "cron":
      return cron(nightly, crontab);
    case "windows":
      return windows(nightly, env);
  }
}

function systemd(nightly: Nightly, env: Environment): Schedule {
  const folder = join(env["XDG_CONFIG_HOME"] || join(homeDirectory(env), ".config"), "systemd", "user");
  const time = `${twoDigits(nightly.hour)}:${twoDigits(nightly.minute)}`;
  return {
    files: [
      {
        path: join(folder, `${NAME}.service`),
        content: `[Unit]
Description=Fold what is new in claude-mem into digests

[Service]
Type=oneshot
ExecStart=${nightly.words.map(systemdWord).join(" ")}
StandardOutput=append:${systemdPath(nightly.log)}
StandardError=append:${systemdPath(nightly.log)}
Nice=10
`,
      },
      {
        path: join(folder, `${NAME}.timer`),
        content: `[Unit]
Description=Every night: fold what is new in claude-mem into digests

[Timer]
OnCalendar=*-*-* ${time}:00
RandomizedDelaySec=300
Persistent=true

[Install]
WantedBy=timers.target
`,
      },
    ],
    start: [
      { words: ["systemctl", "--user", "daemon-reload"] },
      { words: ["systemctl", "--user", "enable", "--now", `${NAME}.timer`] },
    ],
    stop: [{ words: ["systemctl", "--user", "disable", "--now", `${NAME}.timer`] }],
  };
}

function launchd(nightly: Nightly, env: Environment): Schedule {
  const path = join(homeDirectory(env), "Library", "LaunchAgents", `${LABEL}.plist`);
  const strings = nightly.words.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>StartCalendarInterval</key>
  <dict>
    <key>Hour</key>
    <integer>${nightly.hour}</integer>
    <key>Minute</key>
    <integer>${nightly.minute}</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>${xml(nightly.log)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(nightly.log)}</string>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
`;
  const domain = `gui/${process.getuid?.() ?? 0}`;
  return {
    files: [{ path, content }],
    start: [{ words: ["launchctl", "bootstrap", domain, path] }],
    stop: [{ words: ["launchctl", "bootout", `${domain}/${LABEL}`] }],
  };
}

function cron({ hour, minute, words, log }: Nightly, crontab: string): Schedule {
  const others = crontab.split("\n").filter((line) => line !== "" && !line.endsWith(CRON_MARK));
  const command = [...words, log].map(shellWord);
  // cron reads % as a line break
  const line =
    `${minute} ${hour} * * * ${command.slice(0, -1).join(" ")} >> ${command.at(-1) ?? ""} 2>&1 ${CRON_MARK}`.replaceAll(
      "%",
      "\\%",
    );
  const table = (lines: readonly string[]) => lines.map((text) => `${text}\n`).join("");
  return {
    files: [],
    start: [{ words: ["crontab", "-"], input: table([...others, line]) }],
    stop: [{ words: ["crontab", "-"], input: table(others) }],
  };
}

function windows(nightly: Nightly, env: Environment): Schedule {
  const path = join(env["LOCALAPPDATA"] || join(homeDirectory(env), "AppData", "Local"), NAME, "nightly.xml");
  const command = [...nightly.words.map(windowsWord), ">>", windowsWord(nightly.log), "2>&1"].join(" ");
  const content = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T${twoDigits(nightly.hour)}:${twoDigits(nightly.minute)}:00</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <StartWhenAvailable>true</StartWhenAvailable>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <Hidden>true</Hidden>
  </Settings>
  <Actions>
    <Exec>
      <Command>cmd.exe</Command>
      <Arguments>${xml(`/d /s /c "${command}"`)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  return {
    files: [{ path, content }],
    start: [{ words: ["schtasks", "/Create", "/F", "/TN", NAME, "/XML", path] }],
    stop: [{ words: ["schtasks", "/Delete", "/F", "/TN", NAME] }],
  };
}

/** Specifiers and variables of systemd begin with these two. */
function systemdWord(word: string): string {
  return `"${word
    .replaceAll(/[\\"]/g, (sign) => `\\${sign}`)
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$")}"`;
}

function systemdPath(path: string): string {
  return path.replaceAll("%", "%%");
}

function shellWord(word: string): string {
  return /^[\w@+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function windowsWord(word: string): string {
  return `"${word}"`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
