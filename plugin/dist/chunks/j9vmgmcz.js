// @bun
import{chooseBase}from"./5h9v3rcv.js";import{projectFolder}from"./q7t4tecf.js";import{existsSync}from"fs";function commandBase({KNOWLEDGE_DIR,paths,env},cwd){return chooseBase({configured:KNOWLEDGE_DIR??null,data:paths.data,folder:projectFolder(cwd,env),cwd,env})}function noteIfMissing({root},note){if(!existsSync(root))note(`there is no base yet: ${root}`)}
export{commandBase,noteIfMissing};
