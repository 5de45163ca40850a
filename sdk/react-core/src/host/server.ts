/** Whether this is a server, which has no window, unlike browsers and React Native. It keeps and starts nothing. */
export function isServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}
