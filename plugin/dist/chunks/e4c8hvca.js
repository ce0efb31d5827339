// @bun
import{claudeConfigDirectory2}from"./7zrr52s4.js";import{join}from"path";var SCOPES=["user","project","local"];function settingsPath(scope,folder,env){if(scope==="user")return join(claudeConfigDirectory2(env),"settings.json");return join(folder,".claude",scope==="project"?"settings.json":"settings.local.json")}
export{SCOPES,settingsPath};
