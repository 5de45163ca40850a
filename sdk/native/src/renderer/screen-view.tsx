import { responsiveContainer } from '@svc/core/internal';
import { RenderContextProvider, type ScreenInput, useRenderContext } from '@svc/react-core';
import { type ReactNode, useRef, useState } from 'react';
import {
  type LayoutChangeEvent,
  ScrollView,
  type StyleProp,
  StyleSheet,
  useWindowDimensions,
  View,
  type ViewStyle,
} from 'react-native';
import { StackView } from '../layers/stack';
import { ScreenTime } from '../motion/screen-time';
import { marginStyle, paddingStyle } from '../style/placement';
import { directionProps, directionStyle, SCROLLED_BY_KEYS } from './direction';
import { useScreenFocus } from './focus';
import { FontsReadyContext, useBrandingFonts } from './fonts';
import { useInsets } from './insets';
import { usePlatformActions } from './platform-actions-context';
import { useSystemReducedMotion } from './reduced-motion';
import { ScreenFill } from './screen-fill';

/** One visit of one screen. A new visit is a new instance, so that drafts and motion start afresh. */
export function ScreenView({ input, style }: { input: ScreenInput; style?: StyleProp<ViewStyle> }): ReactNode {
  const { screen, branding, mediaMap } = input;
  const root = useRef<View>(null);
  const window = useWindowDimensions();
  const [measured, setMeasured] = useState<number>();
  const width = input.previewWidthPx ?? measured ?? window.width;
  const systemReducedMotion = useSystemReducedMotion();
  const context = useRenderContext(input, { width, systemReducedMotion, actions: usePlatformActions() });
  const fontsReady = useBrandingFonts(branding, mediaMap);
  useScreenFocus(root, input.takesFocus);

  const container = responsiveContainer(screen.containerStyle, screen.containerStyleBreakpoints, width);
  const insets = useInsets();
  const inset = container.insetSafeArea ? insets : { top: 0, bottom: 0 };
  const { padding } = container;
  const { header, body, footer } = screen.regions;
  const onLayout = ({ nativeEvent }: LayoutChangeEvent) => {
    // Without a layout (hidden) there is nothing to learn.
    if (nativeEvent.layout.width > 0) setMeasured(nativeEvent.layout.width);
  };
  return (
    <RenderContextProvider.Provider value={context}>
      <FontsReadyContext.Provider value={fontsReady}>
        <ScreenTime context={context}>
          <View
            ref={root}
            testID={screen.id}
            onLayout={onLayout}
            // Not a stop on the way through the screen, but a place where a browser may put the focus.
            tabIndex={-1}
            {...directionProps(context.direction, context.locale)}
            style={[styles.screen, directionStyle(context.direction), style]}
          >
            <ScreenFill fill={container.backgroundFill} />
            <View
              style={[
                styles.container,
                paddingStyle(padding),
                marginStyle(container.margin),
                { paddingTop: (padding?.t ?? 0) + inset.top, paddingBottom: (padding?.b ?? 0) + inset.bottom },
              ]}
            >
              {header && <StackView layer={header} />}
              <ScrollView
                {...SCROLLED_BY_KEYS}
                style={styles.body}
                contentContainerStyle={styles.content}
                keyboardShouldPersistTaps="handled"
                // A body that fits need not bounce.
                alwaysBounceVertical={false}
              >
                <StackView layer={body} layout={styles.grows} />
              </ScrollView>
              {footer && <StackView layer={footer} />}
            </View>
          </View>
        </ScreenTime>
      </FontsReadyContext.Provider>
    </RenderContextProvider.Provider>
  );
}

const styles = StyleSheet.create({
  screen: { flex: 1, overflow: 'hidden' },
  container: { flex: 1, minHeight: 0 },
  body: { flex: 1 },
  content: { flexGrow: 1 },
  grows: { flexGrow: 1 },
});
