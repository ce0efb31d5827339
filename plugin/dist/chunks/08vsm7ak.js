// @bun
import{clipUnits}from"./p86kbb1h.js";var CONTROLS=/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,ALL_CONTROLS=new RegExp(CONTROLS.source,"g");function isClean(text){return text.isWellFormed()&&!CONTROLS.test(text)}function cleanText(text){if(isClean(text))return text;return Bun.stripANSI(text.toWellFormed()).replace(/\r\n?/g,`
`).replace(ALL_CONTROLS,"")}function cleanName(text,units){return clipUnits(cleanText(text).replace(/\s+/g," ").trim(),units).trimEnd()}var PROJECT_UNITS=200;function cleanProject(name){return cleanName(name,PROJECT_UNITS)}
export{isClean,cleanText,cleanName,cleanProject};
