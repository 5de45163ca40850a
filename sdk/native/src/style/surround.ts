import type { Align } from '@svc/core';
import type { Axis } from '@svc/react-core';

/** The box around a layer, as far as it decides what the layer's sizes mean. */
export interface Surround {
  /** Main axis of the box. */
  axis: Axis;
  /** Where the box puts its children across that axis. */
  align: Align;
}

/** A column whose children are as wide as it is. */
export const COLUMN: Surround = { axis: 'vertical', align: 'stretch' };
