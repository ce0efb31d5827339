// @bun
import{spawn}from"child_process";function startDetached2(words,env){let child=spawn(process.execPath,[...process.execArgv,commandLine(),...words],{detached:!0,stdio:"ignore",windowsHide:!0,env:{...env}});child.on("error",()=>{return}),child.unref()}function commandLine(){return Bun.main.replace(/[^/\\]+(\.\w+)$/,"cli$1")}
export{startDetached2};
