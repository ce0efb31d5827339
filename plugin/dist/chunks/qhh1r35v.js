// @bun
var LINE_CAP=200,UNIT_CAP=25000,WARN_USAGE=0.8,TARGET_USAGE=0.7;function usageOf(lines,units){return Math.max(lines/200,units/25000)}function countActiveLines(text){let active=0;for(let line of text.split(`
`))if(line.trim()!=="")active++;return active}
export{LINE_CAP,UNIT_CAP,WARN_USAGE,TARGET_USAGE,usageOf,countActiveLines};
