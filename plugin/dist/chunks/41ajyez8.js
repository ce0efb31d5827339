// @bun
import{replaceFile2}from"./r7fg3ec7.js";import{string,array,object,_enum}from"./v1nj16hm.js";import{homeDirectory}from"./q5y17hra.js";import{readFileSync,rmSync}from"fs";import{join as join2}from"path";import{join}from"path";var SCHEDULERS=["systemd","launchd","cron","windows"],NAME="persisted-memory",LABEL="persisted-memory.nightly",CRON_MARK="# persisted-memory";function usualScheduler(env,platform){if(platform==="win32")return"windows";if(platform==="darwin")return"launchd";return Bun.which("systemctl",{PATH:env.PATH??""})!==null&&env.XDG_RUNTIME_DIR?"systemd":"cron"}function scheduleFor(scheduler,nightly,{env,crontab}){switch(scheduler){case"systemd":return systemd(nightly,env);case"launchd":return launchd(nightly,env);case"cron":return cron(nightly,crontab);case"windows":return windows(nightly,env)}}function systemd(nightly,env){let folder=join(env.XDG_CONFIG_HOME||join(homeDirectory(env),".config"),"systemd","user"),time=`${twoDigits(nightly.hour)}:${twoDigits(nightly.minute)}`;return{files:[{path:join(folder,`${NAME}.service`),content:`[Unit]
Description=Fold what is new in claude-mem into digests

[Service]
Type=oneshot
ExecStart=${nightly.words.map(systemdWord).join(" ")}
StandardOutput=append:${systemdPath(nightly.log)}
StandardError=append:${systemdPath(nightly.log)}
Nice=10
`},{path:join(folder,`${NAME}.timer`),content:`[Unit]
Description=Every night: fold what is new in claude-mem into digests

[Timer]
OnCalendar=*-*-* ${time}:00
RandomizedDelaySec=300
Persistent=true

[Install]
WantedBy=timers.target
`}],start:[{words:["systemctl","--user","daemon-reload"]},{words:["systemctl","--user","enable","--now",`${NAME}.timer`]}],stop:[{words:["systemctl","--user","disable","--now",`${NAME}.timer`]}]}}function launchd(nightly,env){let path=join(homeDirectory(env),"Library","LaunchAgents",`${LABEL}.plist`),strings=nightly.words.map((word)=>`    <string>${xml(word)}</string>`).join(`
`),content=`<?xml version="1.0" encoding="UTF-8"?>
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
`,domain=`gui/${process.getuid?.()??0}`;return{files:[{path,content}],start:[{words:["launchctl","bootstrap",domain,path]}],stop:[{words:["launchctl","bootout",`${domain}/${LABEL}`]}]}}function cron({hour,minute,words,log},crontab){let others=crontab.split(`
`).filter((line)=>line!==""&&!line.endsWith(CRON_MARK)),command=[...words,log].map(shellWord),line=`${minute} ${hour} * * * ${command.slice(0,-1).join(" ")} >> ${command.at(-1)??""} 2>&1 ${CRON_MARK}`.replaceAll("%","\\%"),table=(lines)=>lines.map((text)=>`${text}
`).join("");return{files:[],start:[{words:["crontab","-"],input:table([...others,line])}],stop:[{words:["crontab","-"],input:table(others)}]}}function windows(nightly,env){let path=join(env.LOCALAPPDATA||join(homeDirectory(env),"AppData","Local"),NAME,"nightly.xml"),command=[...nightly.words.map(windowsWord),">>",windowsWord(nightly.log),"2>&1"].join(" "),content=`<?xml version="1.0" encoding="UTF-16"?>
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
`;return{files:[{path,content}],start:[{words:["schtasks","/Create","/F","/TN",NAME,"/XML",path]}],stop:[{words:["schtasks","/Delete","/F","/TN",NAME]}]}}function systemdWord(word){return`"${word.replaceAll(/[\\"]/g,(sign)=>`\\${sign}`).replaceAll("%","%%").replaceAll("$","$$$$")}"`}function systemdPath(path){return path.replaceAll("%","%%")}function shellWord(word){return/^[\w@+=:,./-]+$/.test(word)?word:`'${word.replaceAll("'",String.raw`'\''`)}'`}function windowsWord(word){return`"${word}"`}function xml(text){return text.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;")}function twoDigits(number){return String(number).padStart(2,"0")}var Nightly=object({scheduler:_enum(SCHEDULERS),time:string(),since:string(),files:array(string())});function readSchedule(state){try{return Nightly.parse(JSON.parse(readFileSync(notePath(state),"utf8")))}catch{return null}}function noteSchedule(state,schedule){replaceFile2(notePath(state),JSON.stringify(schedule))}function forgetSchedule(state){rmSync(notePath(state),{force:!0})}function notePath(state){return join2(state,"schedule.json")}
export{SCHEDULERS,usualScheduler,scheduleFor,readSchedule,noteSchedule,forgetSchedule};
