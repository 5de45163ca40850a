// Looked up when first needed, so that an app whose build lacks one of them, or a test without native halves, still
// starts. Metro wants each `require` directly in a `try` block.

import { lookUp } from '@svc/native/sdk';

declare const require: (name: string) => unknown;

export function loadVideo(): typeof import('expo-video') | null {
  return lookUp(() => {
    try {
      return require('expo-video') as typeof import('expo-video');
    } catch {
      return null;
    }
  });
}

export function loadStoreReview(): typeof import('expo-store-review') | null {
  return lookUp(() => {
    try {
      return require('expo-store-review') as typeof import('expo-store-review');
    } catch {
      return null;
    }
  });
}

export function loadFont(): typeof import('expo-font') | null {
  return lookUp(() => {
    try {
      return require('expo-font') as typeof import('expo-font');
    } catch {
      return null;
    }
  });
}
