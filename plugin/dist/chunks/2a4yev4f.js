// @bun
import{memoryPlace2,claudeConfigDirectory2,siblingStores2,agentMemories2,memorySettingsFiles2}from"./7zrr52s4.js";export{agentMemories2 as agentMemories,claudeConfigDirectory2 as claudeConfigDirectory,memoryPlace2 as memoryPlace,memorySettingsFiles2 as memorySettingsFiles,siblingStores2 as siblingStores};
