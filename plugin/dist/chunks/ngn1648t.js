// @bun
import{readdirSync}from"fs";function queueFolder(state){return`${state}/knowledge/queue`}function queuedNames(state){try{return readdirSync(queueFolder(state)).filter((name)=>/^\d{15}-.*\.json$/.test(name)).toSorted()}catch{return[]}}
export{queueFolder,queuedNames};
