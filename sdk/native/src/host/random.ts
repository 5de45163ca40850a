import { randomBytes as systemRandomBytes } from '@svc/react-core';
import { loadRandomValues } from './optional-modules';

let polyfilled = false;

/** Random bytes from the system, by way of `react-native-get-random-values` where that is linked. */
export function randomBytes(length: number): Uint8Array {
  if (!polyfilled) {
    polyfilled = true;
    loadRandomValues();
  }
  return systemRandomBytes(length);
}
