import type { ColorScheme } from '@svc/react-core';
import { Appearance } from 'react-native';

/** What the device is set to. Systems that do not say count as light. */
export const deviceColorScheme: ColorScheme = {
  current: () => (Appearance.getColorScheme() === 'dark' ? 'dark' : 'light'),
  subscribe: (listener) => {
    const subscription = Appearance.addChangeListener(listener);
    return () => subscription.remove();
  },
};
