import { useRender } from '@svc/react-core';
import type { ReactNode } from 'react';
import { Pressable, type PressableProps } from 'react-native';
import Animated, { Easing, ReduceMotion, useSharedValue, withTiming } from 'react-native-reanimated';
import { useMotionStyle } from '../motion/layer-motion-shell';
import { layerOpacity } from '../style/box-style';
import { Backdrop, type BoxLook, useBoxStyle } from './box';

const AnimatedPressable = Animated.createAnimatedComponent(Pressable);

/** How long a press takes to show and to go, ms (runtime.md §7). */
const PRESS_IN_MS = 80;
const PRESS_OUT_MS = 120;

interface PressBoxProps extends BoxLook, Omit<PressableProps, 'style' | 'children' | 'role' | 'onPress'> {
  role: 'button' | 'link' | 'checkbox' | 'radio';
  /** Cannot be used at all. */
  disabled?: boolean;
  /** Looks disabled, but a tap still says why. */
  held?: boolean;
  onPress?: (() => void) | undefined;
  children?: ReactNode;
}

/** A box that can be pressed. Screens that are only shown ignore taps. */
export function PressBox(props: PressBoxProps) {
  const { layer, look, layout, faded, disabled = false, held = false, onPress, children, ...rest } = props;
  const { interactive, reducedMotion } = useRender();
  const press = useSharedValue(0);
  const opacity = layerOpacity(look, faded ?? (disabled || held));
  const moving = useMotionStyle(layer, { opacity, rotate: look.rotate ?? 0 }, press);

  const show = (to: 0 | 1) => {
    if (reducedMotion || !interactive) return;
    const duration = to === 1 ? PRESS_IN_MS : PRESS_OUT_MS;
    press.value = withTiming(to, { duration, easing: Easing.out(Easing.quad), reduceMotion: ReduceMotion.Never });
  };
  return (
    <AnimatedPressable
      {...rest}
      testID={layer.id}
      // React Native's own `disabled` would hide from screen readers that a button is held.
      disabled={disabled || undefined}
      aria-disabled={disabled || held}
      onPressIn={() => show(1)}
      onPressOut={() => show(0)}
      onPress={interactive ? onPress : undefined}
      style={[useBoxStyle({ layer, look, layout }), moving]}
    >
      <Backdrop look={look} />
      {children}
    </AnimatedPressable>
  );
}
