import type { Align, CommonStyle } from '@svc/core';
import type { Axis } from '@svc/react-core';

/** The box around a layer, as far as it decides what the layer's sizes mean. */
export interface Surround {
  /** Main axis of the box. */
  axis: Axis;
  /** Where the box puts its children across that axis. */
  align: Align;
  /** Whether the box is as wide as what is in it, so that there is no room to share. */
  hugs?: boolean;
}

/** Whether a box with this style is as wide as what is in it. */
export function hugsItsContent({ width, position }: CommonStyle, { axis, align }: Surround): boolean {
  if (width !== undefined) return width === 'auto';
  return position === 'absolute' || axis === 'horizontal' || align !== 'stretch';
}

/** A column whose children are as wide as it is. */
export const COLUMN: Surround = { axis: 'vertical', align: 'stretch' };
