import { createElement, forwardRef, type ReactNode } from 'react';

// React Native as far as the layers need it to say what they consist of: every view is a host element with its style.

type Style = Record<string, unknown>;
type Styles = Style | null | undefined | false | readonly Styles[];

function flatten(styles: Styles): Style {
  if (Array.isArray(styles)) return Object.assign({}, ...styles.map(flatten));
  return styles ? (styles as Style) : {};
}

interface Props {
  children?: ReactNode;
  contentContainerStyle?: Styles;
}

const host = (name: string) => forwardRef<unknown, Props>((props, _) => createElement(name, props));

export const View = host('View');
export const Text = host('Text');
/** The address of a picture names its size: `300x150.png`. */
const getSize = (url: string, done: (width: number, height: number) => void): void => {
  const [, width, height] = /(\d+)x(\d+)/.exec(url) ?? [];
  if (width && height) done(Number(width), Number(height));
};
export const Image = Object.assign(host('Image'), { getSize });
export const Pressable = host('View');
export const TextInput = host('TextInput');
export const Modal = () => null;
export const ActivityIndicator = host('View');
/** A view around its content, as it is on a device. */
export const ScrollView = forwardRef<unknown, Props>(({ children, contentContainerStyle, ...props }, _) =>
  createElement('ScrollView', props, createElement('View', { style: contentContainerStyle }, children)),
);
export const FlatList = host('View');

export const StyleSheet = {
  create: <T>(styles: T): T => styles,
  flatten,
  absoluteFill: { position: 'absolute', left: 0, right: 0, top: 0, bottom: 0 },
  hairlineWidth: 1,
};
export const Platform = { OS: 'ios', select: (choices: Record<string, unknown>) => choices.ios ?? choices.default };
export const AccessibilityInfo = {
  isReduceMotionEnabled: async () => false,
  isScreenReaderEnabled: async () => false,
  addEventListener: () => undefined,
};
export const StatusBar = { currentHeight: 0 };
export const Linking = { openURL: async () => undefined };
export const Keyboard = { dismiss: () => undefined };
export const useWindowDimensions = () => ({ width: 390, height: 800, scale: 3, fontScale: 1 });
