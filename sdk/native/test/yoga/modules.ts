import { createContext, createElement } from 'react';

// The native modules that layers draw with, as far as the layout is concerned: each draws one view.

const view = (props: object) => createElement('View', props);

export default Object.assign(view, {
  View: view,
  createAnimatedComponent: <T>(component: T): T => component,
});

// react-native-reanimated
export const useSharedValue = <T>(value: T) => ({ value });
export const useAnimatedStyle = <T>(style: () => T): T => style();
export const useAnimatedProps = useAnimatedStyle;
export const withTiming = <T>(value: T): T => value;
export const cancelAnimation = () => undefined;
export const Easing = { linear: undefined, quad: undefined, out: () => undefined };
export const ReduceMotion = { Never: 'never' };

// drawn-modules.ts
const svg = { Svg: view, Circle: view, Path: view, SvgXml: view, fetchText: async () => null };
export const loadSvg = () => svg;
export const loadGradient = () => view;
export const loadLottie = () => view;
export const loadIonicons = () => Object.assign(view, { hasIcon: () => true });
const safeArea = { SafeAreaInsetsContext: createContext(null), initialWindowMetrics: null };
export const loadSafeArea = () => safeArea;
