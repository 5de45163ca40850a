import type { Branding, Theme } from '@svc/core';
import type { Palette } from '@svc/core/internal';

/** What colors and fonts are looked up in. */
export interface StyleScope {
  palette: Palette;
  theme: Theme | undefined;
  branding: Branding | undefined;
}

/** Main axis of the box around a layer; sizes mean different things on it and across it. */
export type Axis = 'vertical' | 'horizontal';
