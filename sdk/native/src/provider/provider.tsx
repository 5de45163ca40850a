import {
  BaseProvider,
  type SvcProviderProps as BaseProviderProps,
  type HostClientFactory,
  useSvcContext,
} from '@svc/react-core';
import { useEffect, useMemo } from 'react';
import type { FontAdapter } from '../adapters/adapters';
import { FontLoaderContext } from '../adapters/font-loader-context';
import type { NativeClient } from '../host/native-client';
import type { AttributionConfig, NativeSvcConfig } from './config';

export interface SvcProviderProps extends Omit<BaseProviderProps, 'config'> {
  config: NativeSvcConfig;
  /**
   * Loads the fonts of flows: addresses by the name that texts ask for. Default: `expo-font` in Expo apps; bare apps
   * have none and show the system's font, unless the files are linked under these names. Define it once.
   */
  fontLoader?: FontAdapter['loadFonts'];
}

/** The provider of both flavours. */
export function NativeProvider({
  makeClient,
  fontLoader,
  children,
  ...props
}: SvcProviderProps & { makeClient: HostClientFactory }) {
  const fonts = useMemo(() => (fontLoader ? { loadFonts: fontLoader } : null), [fontLoader]);
  return (
    <BaseProvider makeClient={makeClient} {...props}>
      <AttributionSync attribution={props.config?.attribution} />
      <FontLoaderContext.Provider value={fonts}>{children}</FontLoaderContext.Provider>
    </BaseProvider>
  );
}

/** Hands the rendered attribution settings to the client, which otherwise looks at plain values only. */
function AttributionSync({ attribution }: { attribution: AttributionConfig | undefined }) {
  const { host } = useSvcContext();
  useEffect(() => (host as NativeClient).setAttribution(attribution));
  return null;
}
