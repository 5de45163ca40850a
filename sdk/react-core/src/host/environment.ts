/** Whether this is a server, which has no window, unlike browsers and React Native. It keeps and starts nothing. */
export function isServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}

// Bundlers replace the expression; without one there is no `process`.
declare const process: { env: { NODE_ENV?: string } } | undefined;

/** Whether the app around the SDK is a development build. */
export function isDevelopmentBuild(): boolean {
  return typeof process !== 'undefined' && process.env.NODE_ENV !== 'production';
}
