// @bun
import{createHash}from"crypto";import{realpathSync}from"fs";import{join}from"path";function memoryStateFolder(state,directory){return join(state,"memory",createHash("sha256").update(real(directory)).digest("hex").slice(0,16))}function real(path){try{return realpathSync(path)}catch{return path}}
export{memoryStateFolder};
