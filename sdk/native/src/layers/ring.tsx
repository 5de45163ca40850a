import { multiplyAlpha } from '@svc/core/internal';
import { type ComponentType, useState } from 'react';
import { StyleSheet, View } from 'react-native';
import Animated, { type SharedValue, useAnimatedProps, useAnimatedStyle } from 'react-native-reanimated';
import type { CircleProps } from 'react-native-svg';
import { loadSvg } from '../host/drawn-modules';

export interface RingProps {
  /** Width and height, px. */
  side: number;
  /** px */
  stroke: number;
  /** Filled part, 0 to 1. */
  share: SharedValue<number>;
  trackColor: string;
  /** 0 to 1 */
  trackOpacity: number;
  fillColor: string;
}

/** A ring that fills clockwise from the top; one that grows clearer in a build without `react-native-svg`. */
export function Ring(props: RingProps) {
  return loadSvg() ? <DrawnRing {...props} /> : <FadingRing {...props} />;
}

function DrawnRing({ side, stroke, share, trackColor, trackOpacity, fillColor }: RingProps) {
  const { Svg, Circle } = loadSvg() as NonNullable<ReturnType<typeof loadSvg>>;
  const [AnimatedCircle] = useState(() => Animated.createAnimatedComponent(Circle as ComponentType<CircleProps>));
  const radius = Math.max(0, (side - stroke) / 2);
  const length = 2 * Math.PI * radius;
  const filled = useAnimatedProps(() => ({ strokeDashoffset: length * (1 - share.value) }), [share, length]);
  const circle = { cx: side / 2, cy: side / 2, r: radius, fill: 'none', strokeWidth: stroke };
  return (
    <Svg width={side} height={side} style={{ transform: [{ rotate: '-90deg' }] }}>
      <Circle {...circle} stroke={trackColor} strokeOpacity={trackOpacity} />
      <AnimatedCircle
        {...circle}
        animatedProps={filled}
        stroke={fillColor}
        strokeLinecap="round"
        strokeDasharray={[length, length]}
      />
    </Svg>
  );
}

function FadingRing({ side, stroke, share, trackColor, trackOpacity, fillColor }: RingProps) {
  const filled = useAnimatedStyle(() => ({ opacity: share.value }), [share]);
  const ring = { width: side, height: side, borderRadius: side / 2, borderWidth: stroke };
  return (
    <View>
      <View style={[ring, { borderColor: multiplyAlpha(trackColor, trackOpacity) }]} />
      <Animated.View style={[StyleSheet.absoluteFill, ring, { borderColor: fillColor }, filled]} />
    </View>
  );
}
