import { createContext, useContext } from 'react';
import type { NativeAdapters } from './adapters';

/** Set by the flavour's own components around everything they draw. */
export const AdaptersContext = createContext<NativeAdapters | null>(null);

/** The adapters of the flavour that draws this. Throws when a component was not taken from a flavour. */
export function useAdapters(): NativeAdapters {
  const adapters = useContext(AdaptersContext);
  if (!adapters) throw new Error('This must be drawn by a component of @svc/expo or @svc/react-native.');
  return adapters;
}
