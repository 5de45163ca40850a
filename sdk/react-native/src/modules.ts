// Looked up when first needed, so that an app whose build lacks one of them, or a test without native halves, still
// starts. Metro wants each `require` directly in a `try` block.

import { lookUp } from '@svc/native/sdk';

declare const require: (name: string) => unknown;

export function loadVideo(): typeof import('react-native-video').default | null {
  return lookUp(() => {
    try {
      return (require('react-native-video') as typeof import('react-native-video')).default;
    } catch {
      return null;
    }
  });
}

export function loadInAppReview(): typeof import('react-native-in-app-review').default | null {
  return lookUp(() => {
    try {
      return (require('react-native-in-app-review') as typeof import('react-native-in-app-review')).default;
    } catch {
      return null;
    }
  });
}
