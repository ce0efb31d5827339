// @bun
import{eq,aliases}from"./qx5e53q4.js";function readAliases(store){return new Map(store.db.select().from(aliases).all().map((row)=>[row.old,row.new]))}function setAlias(store,old,current){store.db.insert(aliases).values({old,new:current}).onConflictDoUpdate({target:aliases.old,set:{new:current}}).run()}function removeAlias(store,old){return store.db.delete(aliases).where(eq(aliases.old,old)).returning().all().length>0}
export{readAliases,setAlias,removeAlias};
