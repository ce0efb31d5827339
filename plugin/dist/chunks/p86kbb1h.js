// @bun
function clipUnits(text,units){if(text.length<=units)return text;return text.slice(0,splitsSurrogate(text,units)?units-1:units)}function splitsSurrogate(text,at){let before=text.charCodeAt(at-1);return before>=55296&&before<=56319}
export{clipUnits};
