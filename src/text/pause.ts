/**
 * Lets waiting events happen, a Ctrl-C among them, and throws its reason if there was one: for loops over
 * data that never wait for anything.
 */
export async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  signal.throwIfAborted();
}
