// @bun
function figure(value){return value.toLocaleString("en-US")}function count(value,one,many=`${one}s`){return`${figure(value)} ${value===1?one:many}`}function percent(share){return`${(share*100).toFixed(share>0&&share<0.1?1:0)} %`}function day(epoch){let date=new Date(epoch??0);return epoch===null||epoch<=0||Number.isNaN(date.valueOf())?"":date.toISOString().slice(0,10)}
export{figure,count,percent,day};
