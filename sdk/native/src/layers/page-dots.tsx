import type { PageControl } from '@svc/core';
import { type Dot, dotLook, dotSpacing, useRender } from '@svc/react-core';
import { useEffect } from 'react';
import { View, type ViewProps } from 'react-native';
import Animated, { ReduceMotion, useAnimatedStyle, useSharedValue, withTiming } from 'react-native-reanimated';
import { borderStyle, chromeStyle } from '../style/chrome';
import { marginStyle, paddingStyle } from '../style/placement';

/** How long a dot takes to become the present one, ms. */
const CHANGE_MS = 200;

interface PageDotsProps extends ViewProps {
  control: PageControl;
  count: number;
  index: number;
}

/** The dots of a carousel. */
export function PageDots({ control, count, index, ...rest }: PageDotsProps) {
  const context = useRender();
  const { border, shadow } = control;
  return (
    <View
      {...rest}
      style={[
        { flexDirection: 'row', alignItems: 'center', alignSelf: 'center', gap: dotSpacing(control) },
        paddingStyle(control.padding),
        marginStyle(control.margin),
        chromeStyle({ ...(border ? { border } : {}), ...(shadow ? { shadow } : {}) }, context),
      ]}
    >
      {Array.from({ length: count }, (_, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a dot is its place
        <DotView key={position} dot={dotLook(control, position === index, context)} />
      ))}
    </View>
  );
}

function DotView({ dot }: { dot: Dot }) {
  const context = useRender();
  const { width, height, opacity } = dot;
  const size = useSharedValue({ width, height, opacity });
  const { reducedMotion } = context;
  useEffect(() => {
    const to = { width, height, opacity };
    size.value = reducedMotion ? to : withTiming(to, { duration: CHANGE_MS, reduceMotion: ReduceMotion.Never });
  }, [size, width, height, opacity, reducedMotion]);
  const changing = useAnimatedStyle(() => ({ ...size.value }), [size]);
  return (
    <Animated.View
      style={[{ borderRadius: dot.radius, backgroundColor: dot.color }, borderStyle(dot.border, context), changing]}
    />
  );
}
