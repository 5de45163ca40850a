import type { Align, Direction, Distribution } from '@svc/core';
import type { CSSProperties } from 'react';

const ALIGN: Readonly<Record<Align, string>> = {
  start: 'flex-start',
  center: 'center',
  end: 'flex-end',
  stretch: 'stretch',
};
const DISTRIBUTION: Readonly<Record<Distribution, string>> = {
  start: 'flex-start',
  center: 'center',
  end: 'flex-end',
  between: 'space-between',
  around: 'space-around',
};

export interface FlexLayout {
  direction: Direction;
  gap: number;
  align?: Align | undefined;
  distribution?: Distribution | undefined;
  wrap?: boolean | undefined;
}

export function flexCss({ direction, gap, align, distribution, wrap }: FlexLayout): CSSProperties {
  return {
    display: 'flex',
    flexDirection: direction === 'horizontal' ? 'row' : 'column',
    gap,
    alignItems: ALIGN[align ?? 'stretch'],
    ...(distribution ? { justifyContent: DISTRIBUTION[distribution] } : {}),
    ...(wrap ? { flexWrap: 'wrap' } : {}),
  };
}

/** `align-self` of something that chooses its own place across the axis. */
export function selfAlign(align: Align): string {
  return ALIGN[align];
}
