// @bun
import{existsSync}from"fs";import{dirname,join}from"path";function gitFiles(folder){let files=[];for(let at=folder;;at=dirname(at)){for(let name of["HEAD",""]){let file=join(at,".git",name);if(files.push(file),existsSync(file))return files}if(at===dirname(at))return files}}
export{gitFiles};
