import { captureSession } from "./capture.ts";
import type { Hook } from "./hook.ts";

/** Keeps what a compaction is about to summarise away. */
export const hook: Hook = async (input, env) => {
  await captureSession("pre-compact", input, env);
  return null;
};
