// @bun
function localDay(at){return`${at.getFullYear()}-${twoDigits(at.getMonth()+1)}-${twoDigits(at.getDate())}`}function localTime(at){return`${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`}function twoDigits(number){return String(number).padStart(2,"0")}
export{localDay,localTime};
