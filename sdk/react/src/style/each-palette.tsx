import type { ThemePreference } from '@svc/core';
import type { Palette } from '@svc/core/internal';
import { usePalette, useSvcContext } from '@svc/react-core';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { useServerRender } from './server-sheet';

const PALETTES: readonly Palette[] = ['light', 'dark'];
const OnlyContext = /* @__PURE__ */ createContext<Palette | null>(null);

/** Class of a box that stands in a server render for one of two palettes, until the page knows which it needs. */
export function useOnlyClass(): string | undefined {
  const palette = useContext(OnlyContext);
  return palette ? `svc-only-${palette}` : undefined;
}

interface EachPaletteProps {
  preference: ThemePreference | undefined;
  children: (palette: Palette) => ReactNode;
}

/**
 * Draws in the wanted palette. A server doesn't know what `system` comes down to: it draws in both, a media query
 * hides one of them before the first paint, and the page keeps the other.
 */
export function EachPalette({ preference, children }: EachPaletteProps): ReactNode {
  const { config } = useSvcContext();
  const palette = usePalette(preference);
  const unknown = useServerRender() && (preference ?? config.theme) === 'system';
  // What was drawn first stays mounted when the system changes its mind, with all that people have entered.
  const [first, setFirst] = useState(unknown ? null : palette);
  if (first === null && !unknown) setFirst(palette);
  const drawn = unknown ? PALETTES : [first ?? palette];
  return drawn.map((key) => (
    <OnlyContext.Provider key={key} value={unknown ? key : null}>
      {children(unknown ? key : palette)}
    </OnlyContext.Provider>
  ));
}
