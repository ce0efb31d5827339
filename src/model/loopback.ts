/** Whether what is sent to this address stays on this machine. */
export function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostOf(url) ?? "");
}

/** `null` where there is no reading the address. */
export function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}
