// @bun
import{run4}from"./6p5hkyd5.js";import"./ptdc9zmb.js";import"./mtjtp5fe.js";import"./bc0jwvvr.js";import"./h42xx8k3.js";import"./aqcnzyag.js";import"./qx5e53q4.js";import"./mfah1vjd.js";import"./qbyjreez.js";import"./k4hc6mn4.js";import"./9g12ra6t.js";import"./mx5nzpw2.js";import"./08vsm7ak.js";import"./r7fg3ec7.js";export{run4 as run};
