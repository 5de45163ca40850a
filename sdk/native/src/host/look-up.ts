/**
 * Runs a look-up of a module that may throw as soon as it is loaded: installed, but its native half is not in this
 * build. Metro hands what a module throws at such a late hour to the app's handler of fatal errors, and the `catch`
 * around the `require` sees nothing; it does so only while there is a handler.
 */
export function lookUp<T>(find: () => T): T {
  const scope = globalThis as { ErrorUtils?: unknown };
  const handler = scope.ErrorUtils;
  if (!handler) return find();
  scope.ErrorUtils = undefined;
  try {
    return find();
  } finally {
    scope.ErrorUtils = handler;
  }
}
