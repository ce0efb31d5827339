// @bun
import{PRIVATE_FILE2,makePrivateFolder2,replaceFile2,makePrivate2}from"./r7fg3ec7.js";export{PRIVATE_FILE2 as PRIVATE_FILE,makePrivate2 as makePrivate,makePrivateFolder2 as makePrivateFolder,replaceFile2 as replaceFile};
