// @bun
import{startDetached2}from"./4r8ccnfd.js";export{startDetached2 as startDetached};
