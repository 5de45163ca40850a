import { createContext } from 'react';
import type { FontAdapter } from './adapters';

/** The host's own loader of fonts, which goes before the flavour's. */
export const FontLoaderContext = createContext<FontAdapter | null>(null);
