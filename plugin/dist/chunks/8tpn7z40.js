// @bun
import{run4}from"./b9sx8j8n.js";import"./p1k2tqcs.js";import"./p6gqvy6c.js";import"./bc0jwvvr.js";import"./h42xx8k3.js";import"./px5y4rzb.js";import"./qx5e53q4.js";import"./mfah1vjd.js";import"./qbyjreez.js";import"./k4hc6mn4.js";import"./9g12ra6t.js";import"./mx5nzpw2.js";import"./08vsm7ak.js";import"./r7fg3ec7.js";export{run4 as run};
