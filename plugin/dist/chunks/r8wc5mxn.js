// @bun
import{documentBytes}from"./9qcntz12.js";function fileChange(memory,path,document){return{path,before:memory.files.get(path)?.bytes??null,after:documentBytes(document)}}function sameBytes(a,b){return a===null||b===null?a===b:Buffer.compare(a,b)===0}
export{fileChange,sameBytes};
