import type { ThemePreference } from '@svc/core';
import type { Palette } from '@svc/core/internal';
import { useSyncExternalStore } from 'react';
import { useSvcContext } from '../provider/context';

const never = () => () => undefined;
const light = (): Palette => 'light';

/**
 * The palette to draw with: the given preference, else the config's, else light. `system` follows the device, and is
 * light in a server render, which knows no device.
 */
export function usePalette(preference: ThemePreference | undefined): Palette {
  const { config, host } = useSvcContext();
  const wanted = preference ?? config.theme ?? 'light';
  const { colorScheme } = host;
  const device = useSyncExternalStore(colorScheme?.subscribe ?? never, colorScheme?.current ?? light, light);
  return wanted === 'system' ? device : wanted;
}
