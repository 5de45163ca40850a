import { createContext, createElement } from 'react';

// The native modules that layers draw with, as far as the layout is concerned: each draws one view.

const view = (props: object) => createElement('View', props);

export default Object.assign(view, {
  View: view,
  createAnimatedComponent: <T>(component: T): T => component,
  hasIcon: () => true,
});

// react-native-reanimated
export const useSharedValue = <T>(value: T) => ({ value });
export const useAnimatedStyle = <T>(style: () => T): T => style();
export const useAnimatedProps = useAnimatedStyle;
export const withTiming = <T>(value: T): T => value;
export const cancelAnimation = () => undefined;
export const Easing = { linear: undefined, quad: undefined, out: () => undefined };
export const ReduceMotion = { Never: 'never' };

// react-native-svg
export const Circle = view;
export const Path = view;
export const SvgXml = view;
export const fetchText = async () => null;

// react-native-safe-area-context
export const SafeAreaInsetsContext = createContext(null);
export const initialWindowMetrics = null;
