// @bun
import{placeProjects2,followAliases2}from"./mx5nzpw2.js";import"./08vsm7ak.js";export{followAliases2 as followAliases,placeProjects2 as placeProjects};
