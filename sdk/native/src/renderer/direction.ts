import { Platform, type ViewProps, type ViewStyle } from 'react-native';

/** Sets the reading direction and the language of everything inside of a view. */
export function directionProps(direction: 'ltr' | 'rtl', locale: string): Pick<ViewProps, 'accessibilityLanguage'> {
  // In a browser the direction is an attribute: styles of their sides are mirrored by it.
  return Platform.OS === 'web' ? ({ dir: direction, lang: locale } as object) : { accessibilityLanguage: locale };
}

export function directionStyle(direction: 'ltr' | 'rtl'): ViewStyle {
  return Platform.OS === 'web' ? {} : { direction };
}

/** Keys scroll only what can have the focus; on phones nothing has to be said for that. */
export const SCROLLED_BY_KEYS: Pick<ViewProps, 'tabIndex'> = Platform.OS === 'web' ? { tabIndex: 0 } : {};
