import { Platform, type ViewProps, type ViewStyle } from 'react-native';

/** Sets the reading direction and the language of everything inside of a view. */
export function directionProps(direction: 'ltr' | 'rtl', locale: string): Pick<ViewProps, 'accessibilityLanguage'> {
  // In a browser the direction is an attribute: styles of their sides are mirrored by it.
  return Platform.OS === 'web' ? ({ dir: direction, lang: locale } as object) : { accessibilityLanguage: locale };
}

export function directionStyle(direction: 'ltr' | 'rtl'): ViewStyle {
  return Platform.OS === 'web' ? {} : { direction };
}
