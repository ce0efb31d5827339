// @bun
function resolvePaths(env){let home=homeDirectory(env),base=(name,fallback)=>`${env[name]||`${home}/${fallback}`}/persisted-memory`;return{config:base("XDG_CONFIG_HOME",".config"),data:base("XDG_DATA_HOME",".local/share"),state:base("XDG_STATE_HOME",".local/state")}}function homeDirectory(env){return env.HOME||env.USERPROFILE||process.getBuiltinModule("node:os").homedir()}function expandHome(path,env){if(path==="~")return homeDirectory(env);return/^~[/\\]/.test(path)?`${homeDirectory(env)}/${path.slice(2)}`:path}
export{resolvePaths,homeDirectory,expandHome};
