import type { Size } from '../canvas/board';

export type Device = { id: string; name: string; size: Size };

/** What screens are drawn for, in CSS pixels. */
export const devices: readonly Device[] = [
  { id: 'phone', name: 'Phone', size: { width: 390, height: 844 } },
  { id: 'phone-small', name: 'Small phone', size: { width: 360, height: 640 } },
  { id: 'phone-large', name: 'Large phone', size: { width: 440, height: 956 } },
  { id: 'tablet', name: 'Tablet', size: { width: 820, height: 1180 } },
  { id: 'desktop', name: 'Desktop', size: { width: 1280, height: 800 } },
  { id: 'desktop-large', name: 'Large desktop', size: { width: 1600, height: 900 } },
];
