// @bun
import{usageError}from"./8pf737je.js";function checkOptions(schema,options){let result=schema.safeParse(options);if(result.success)return result.data;let wrong=result.error.issues.map(({path,message})=>`--${String(path[0]).replaceAll(/[A-Z]/g,(sign)=>`-${sign.toLowerCase()}`)}: ${message}`);throw usageError("bad-option",wrong.join("; "))}
export{checkOptions};
