// Native modules that an app may not have installed, or not linked. Metro accepts an absent package only where the
// `require` stands directly in a `try` block and names the package literally, so there is one function for each.
// All are looked up when first needed, never at import: some of them throw as soon as they are loaded unlinked.

declare const require: (name: string) => unknown;

type Exports = Record<string, unknown>;

/** The default export of a module that may have been transpiled, else the module itself. */
export function defaultExport(loaded: unknown): unknown {
  return (loaded as { default?: unknown } | null | undefined)?.default ?? loaded;
}

/** Device storage. */
export function loadAsyncStorage(): unknown {
  try {
    return defaultExport(require('@react-native-async-storage/async-storage'));
  } catch {
    return null;
  }
}

/** Root for gestures; apps without it have none of the flow's layers that are dragged by gestures. */
export function loadGestureHandler(): Exports | null {
  try {
    return require('react-native-gesture-handler') as Exports;
  } catch {
    return null;
  }
}

/** Installs `crypto.getRandomValues`; loading it is all there is to do. */
export function loadRandomValues(): void {
  try {
    require('react-native-get-random-values');
  } catch {
    // Without it ids come from `Math.random`.
  }
}

export function loadPermissions(): Exports | null {
  try {
    return require('react-native-permissions') as Exports;
  } catch {
    return null;
  }
}

/** RevenueCat's paywalls. */
export function loadRevenueCatUi(): unknown {
  try {
    return defaultExport(require('react-native-purchases-ui'));
  } catch {
    return null;
  }
}

/** RevenueCat's purchases, which know offerings and customers. */
export function loadRevenueCat(): unknown {
  try {
    return defaultExport(require('react-native-purchases'));
  } catch {
    return null;
  }
}

function loadSuperwallModule(): Exports | null {
  try {
    return require('@superwall/react-native-superwall') as Exports;
  } catch {
    return null;
  }
}

function loadSuperwallCompat(): Exports | null {
  try {
    return require('expo-superwall/compat') as Exports;
  } catch {
    return null;
  }
}

function loadSuperwallExpo(): Exports | null {
  try {
    return require('expo-superwall') as Exports;
  } catch {
    return null;
  }
}

/** The packages that Superwall's API may come from, in the order in which they are asked for. */
export const SUPERWALL_MODULES: readonly (() => Exports | null)[] = [
  loadSuperwallModule,
  loadSuperwallCompat,
  loadSuperwallExpo,
];

export function loadAppsFlyer(): unknown {
  try {
    return defaultExport(require('react-native-appsflyer'));
  } catch {
    return null;
  }
}
