// Native modules that single kinds of layers draw with. An app whose flows have none of these layers need not have the
// module: each is looked up once, when something first draws with it, and its layer does without where it is absent.
// As in `optional-modules.ts`, Metro wants each `require` directly in a `try` block with a literal name.

import { isDevelopmentBuild } from '@svc/react-core';
import { lookUp } from './look-up';

declare const require: (name: string) => unknown;

/**
 * A function that looks a module up at its first call. In development it says when the module is missing.
 *
 * @param name the package that an app would install
 * @param loss what is drawn otherwise, for the warning
 */
function loaderOf<T>(name: string, loss: string, find: () => T | null): () => T | null {
  let found: { module: T | null } | undefined;
  return () => {
    if (!found) {
      found = { module: lookUp(find) };
      if (!found.module && isDevelopmentBuild()) console.warn(`[svc] ${name} is not in this build: ${loss}.`);
    }
    return found.module;
  };
}

/** Draws linear gradients. */
export const loadGradient = loaderOf('react-native-linear-gradient', 'gradients are drawn without it', () => {
  try {
    return (require('react-native-linear-gradient') as typeof import('react-native-linear-gradient')).default;
  } catch {
    return null;
  }
});

/** Plays Lottie animations. */
export const loadLottie = loaderOf('lottie-react-native', 'animations are left empty and count as ended', () => {
  try {
    return (require('lottie-react-native') as typeof import('lottie-react-native')).default;
  } catch {
    return null;
  }
});

/** The icon font. */
export const loadIonicons = loaderOf('react-native-vector-icons', 'icons are left empty', () => {
  try {
    return (require('react-native-vector-icons/Ionicons') as typeof import('react-native-vector-icons/Ionicons'))
      .default;
  } catch {
    return null;
  }
});

/** Draws vectors. */
export const loadSvg = loaderOf('react-native-svg', 'SVG images are left empty and small marks are letters', () => {
  try {
    return require('react-native-svg') as typeof import('react-native-svg');
  } catch {
    return null;
  }
});

/** Knows the parts of the screen that the device covers. */
export const loadSafeArea = loaderOf(
  'react-native-safe-area-context',
  'flows reach under notches and home bars',
  () => {
    try {
      return require('react-native-safe-area-context') as typeof import('react-native-safe-area-context');
    } catch {
      return null;
    }
  },
);
