// Native modules that an app may not have installed, or not linked. Metro accepts an absent package only where the
// `require` stands directly in a `try` block and names the package literally, so there is one function for each.
// All are looked up when first needed, never at import: some of them throw as soon as they are loaded unlinked.

import { lookUp } from './look-up';

declare const require: (name: string) => unknown;

type Exports = Record<string, unknown>;

/** The default export of a module that may have been transpiled, else the module itself. */
export function defaultExport(loaded: unknown): unknown {
  return (loaded as { default?: unknown } | null | undefined)?.default ?? loaded;
}

/** Device storage. */
export function loadAsyncStorage(): unknown {
  return lookUp(() => {
    try {
      return defaultExport(require('@react-native-async-storage/async-storage'));
    } catch {
      return null;
    }
  });
}

/** Root for gestures; apps without it have none of the flow's layers that are dragged by gestures. */
export function loadGestureHandler(): Exports | null {
  return lookUp(() => {
    try {
      return require('react-native-gesture-handler') as Exports;
    } catch {
      return null;
    }
  });
}

/** Installs `crypto.getRandomValues`; loading it is all there is to do. */
export function loadRandomValues(): void {
  lookUp(() => {
    try {
      require('react-native-get-random-values');
    } catch {
      // Without it ids come from `Math.random`.
    }
  });
}

export function loadPermissions(): Exports | null {
  return lookUp(() => {
    try {
      return require('react-native-permissions') as Exports;
    } catch {
      return null;
    }
  });
}

/** The system's pickers of dates and times. */
export function loadDateTimePicker(): typeof import('@react-native-community/datetimepicker') | null {
  return lookUp(() => {
    try {
      return require('@react-native-community/datetimepicker') as typeof import('@react-native-community/datetimepicker');
    } catch {
      return null;
    }
  });
}

/** RevenueCat's paywalls. */
export function loadRevenueCatUi(): unknown {
  return lookUp(() => {
    try {
      return defaultExport(require('react-native-purchases-ui'));
    } catch {
      return null;
    }
  });
}

/** RevenueCat's purchases, which know offerings and customers. */
export function loadRevenueCat(): unknown {
  return lookUp(() => {
    try {
      return defaultExport(require('react-native-purchases'));
    } catch {
      return null;
    }
  });
}

function loadSuperwallModule(): Exports | null {
  return lookUp(() => {
    try {
      return require('@superwall/react-native-superwall') as Exports;
    } catch {
      return null;
    }
  });
}

function loadSuperwallCompat(): Exports | null {
  return lookUp(() => {
    try {
      return require('expo-superwall/compat') as Exports;
    } catch {
      return null;
    }
  });
}

function loadSuperwallExpo(): Exports | null {
  return lookUp(() => {
    try {
      return require('expo-superwall') as Exports;
    } catch {
      return null;
    }
  });
}

/** The packages that Superwall's API may come from, in the order in which they are asked for. */
export const SUPERWALL_MODULES: readonly (() => Exports | null)[] = [
  loadSuperwallModule,
  loadSuperwallCompat,
  loadSuperwallExpo,
];

export function loadAppsFlyer(): unknown {
  return lookUp(() => {
    try {
      return defaultExport(require('react-native-appsflyer'));
    } catch {
      return null;
    }
  });
}
