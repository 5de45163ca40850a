import type { Layer } from '@svc/core';
import { hasMotion, useRender } from '@svc/react-core';
import { useMemo } from 'react';
import { View, type ViewProps } from 'react-native';
import Animated, { type SharedValue, useAnimatedStyle } from 'react-native-reanimated';
import { type MotionPlan, motionPlan } from './motion-plan';
import { type BoxAtRest, motionStyle, samplePlan } from './sample-plan';
import { useScreenTime } from './screen-time';

const STILL: MotionPlan = { clips: [], resting: [] };

/** Whether layers move now, and else the moment of the screen's time line that they show. */
export function useMotionMoment(): number | null {
  const { frozenMs, reducedMotion, interactive } = useRender();
  if (frozenMs !== undefined) return frozenMs;
  return reducedMotion || !interactive ? Number.POSITIVE_INFINITY : null;
}

/** The animated style of a layer's box: its motion, its own opacity and rotation, and a press from 0 to 1. */
export function useMotionStyle(layer: Layer, { opacity, rotate }: BoxAtRest, press: SharedValue<number> | null) {
  const { screen } = useRender();
  const time = useScreenTime();
  const moment = useMotionMoment();
  const plan = useMemo(() => (hasMotion(screen, layer) ? motionPlan(screen, layer) : STILL), [screen, layer]);
  // The dependencies are for the web, where worklets may not have been compiled.
  return useAnimatedStyle(() => {
    const sample = samplePlan(plan, moment ?? time.value);
    return motionStyle(sample, { opacity, rotate }, press?.value ?? 0);
  }, [plan, moment, time, opacity, rotate, press]);
}

export interface LayerMotionShellProps extends ViewProps {
  layer: Layer;
  /** Opacity of the layer itself, 0 to 1. Default 1. */
  opacity?: number;
  /** Rotation of the layer itself in degrees. Default 0. */
  rotate?: number;
}

/** A box that moves as its layer does on this screen. Without motion it is a plain view. */
export function LayerMotionShell(props: LayerMotionShellProps) {
  const { screen } = useRender();
  return hasMotion(screen, props.layer) ? <MovingShell {...props} /> : <StillShell {...props} />;
}

function StillShell({ layer, opacity = 1, rotate = 0, style, ...rest }: LayerMotionShellProps) {
  const own = {
    ...(opacity === 1 ? {} : { opacity }),
    ...(rotate === 0 ? {} : { transform: [{ rotate: `${rotate}deg` }] }),
  };
  return <View {...rest} testID={layer.id} style={[style, own]} />;
}

function MovingShell({ layer, opacity = 1, rotate = 0, style, ...rest }: LayerMotionShellProps) {
  const moving = useMotionStyle(layer, { opacity, rotate }, null);
  return <Animated.View {...rest} testID={layer.id} style={[style, moving]} />;
}
