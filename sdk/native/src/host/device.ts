import type { SvcPlatform } from '@svc/core';
import { Dimensions, Platform } from 'react-native';

/** Shorter side in dp from which an Android device counts as a tablet, as in Android's own layouts. */
const TABLET_DP = 600;

/** The platform that events and flows go by. Anything but the two systems is a browser under react-native-web. */
export function osPlatform(): SvcPlatform {
  return Platform.OS === 'ios' || Platform.OS === 'android' ? Platform.OS : 'web';
}

function isTablet(): boolean {
  if (Platform.OS === 'ios') return Platform.isPad === true;
  const { width, height } = Dimensions.get('screen');
  return Math.min(width, height) >= TABLET_DP;
}

function deviceLocale(): string | undefined {
  try {
    return Intl.DateTimeFormat().resolvedOptions().locale || undefined;
  } catch {
    // Hermes can be built without Intl.
    return undefined;
  }
}

export interface DeviceContext {
  os?: string;
  device?: string;
  locale?: string;
}

/** What product events say about the device, in the words that the service uses for browsers too. */
export function deviceContext(): DeviceContext {
  const locale = deviceLocale();
  const platform = osPlatform();
  return {
    ...(platform === 'web'
      ? {}
      : { os: platform === 'ios' ? 'iOS' : 'Android', device: isTablet() ? 'tablet' : 'mobile' }),
    ...(locale ? { locale } : {}),
  };
}
