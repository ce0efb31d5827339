// @bun
import{resolvePaths}from"./q5y17hra.js";import{appendFileSync,mkdirSync,renameSync,statSync}from"fs";var LOG_BYTES=262144,LINE_UNITS=2000;function hookLogPath(env){return`${resolvePaths(env).state}/hooks.log`}function logHook(env,hook,message){let path=hookLogPath(env),line=`${new Date().toISOString()} ${hook}: ${message.replaceAll(/\s+/g," ").slice(0,LINE_UNITS)}
`;try{if(mkdirSync(resolvePaths(env).state,{recursive:!0,mode:448}),(statSync(path,{throwIfNoEntry:!1})?.size??0)>LOG_BYTES)renameSync(path,`${path}.1`);appendFileSync(path,line,{mode:384})}catch{}}
export{hookLogPath,logHook};
