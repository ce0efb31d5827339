// @bun
import"./r7fg3ec7.js";import"./4r8ccnfd.js";import{captureSession}from"./gcyycfgk.js";import"./hp4j4qyp.js";var hook=async(input,env)=>(await captureSession("pre-compact",input,env),null);export{hook};
