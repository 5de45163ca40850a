import type { Align, Direction, Distribution } from '@svc/core';
import type { ViewStyle } from 'react-native';

const ALIGN = {
  start: 'flex-start',
  center: 'center',
  end: 'flex-end',
  stretch: 'stretch',
} as const satisfies Record<Align, ViewStyle['alignItems']>;
const DISTRIBUTION = {
  start: 'flex-start',
  center: 'center',
  end: 'flex-end',
  between: 'space-between',
  around: 'space-around',
} as const satisfies Record<Distribution, ViewStyle['justifyContent']>;

export interface FlexLayout {
  direction: Direction;
  gap: number;
  align?: Align | undefined;
  distribution?: Distribution | undefined;
  wrap?: boolean | undefined;
}

/** How a box lays its children out. Rows follow the reading direction. */
export function flexStyle({ direction, gap, align, distribution, wrap }: FlexLayout): ViewStyle {
  return {
    flexDirection: direction === 'horizontal' ? 'row' : 'column',
    gap,
    alignItems: ALIGN[align ?? 'stretch'],
    ...(distribution ? { justifyContent: DISTRIBUTION[distribution] } : {}),
    ...(wrap ? { flexWrap: 'wrap' } : {}),
  };
}

/** `alignSelf` of something that chooses its own place across the axis. */
export function selfAlign(align: Align): 'flex-start' | 'center' | 'flex-end' | 'stretch' {
  return ALIGN[align];
}
