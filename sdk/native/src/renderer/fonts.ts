import { type Branding, buildBrandingFontLoadMap } from '@svc/core';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { FontAdapter } from '../adapters/adapters';
import { AdaptersContext } from '../adapters/adapters-context';

/** Whether words may ask for the uploaded fonts by their names. */
export const FontsReadyContext = createContext(true);

/** What each adapter was asked for already, by name and address. */
const asked = new WeakMap<FontAdapter, Map<string, Promise<void>>>();

/** Makes fonts known, each once however many screens ask for it. Rejects when they can't be loaded. */
function load(adapter: FontAdapter, fonts: Readonly<Record<string, string>>): Promise<unknown> {
  const known = asked.get(adapter) ?? new Map<string, Promise<void>>();
  asked.set(adapter, known);
  const key = ([name, url]: [string, string]) => `${name} ${url}`;
  const missing = Object.entries(fonts).filter((font) => !known.has(key(font)));
  if (missing.length > 0) {
    const loading = adapter.loadFonts(Object.fromEntries(missing));
    for (const font of missing) known.set(key(font), loading);
  }
  return Promise.all(Object.entries(fonts).map((font) => known.get(key(font))));
}

/**
 * Loads the uploaded fonts of a flow and says whether words may use them. Never holds drawing up: the system's font
 * stands in until they are there. Without an adapter the host has linked the files by their names, or goes without.
 */
export function useBrandingFonts(branding: Branding | undefined, mediaMap: Readonly<Record<string, string>>): boolean {
  const adapter = useContext(AdaptersContext)?.fonts ?? null;
  const fonts = useMemo(() => buildBrandingFontLoadMap(branding, mediaMap), [branding, mediaMap]);
  const needed = adapter !== null && Object.keys(fonts).length > 0;
  const [loaded, setLoaded] = useState<typeof fonts | null>(null);
  useEffect(() => {
    if (!adapter || !needed) return undefined;
    let current = true;
    load(adapter, fonts).then(
      () => current && setLoaded(fonts),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [adapter, fonts, needed]);
  return !needed || loaded === fonts;
}
