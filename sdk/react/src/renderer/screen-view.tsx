import type { FlowManifest, Screen } from '@svc/core';
import { logicalFontFamily, responsiveContainer } from '@svc/core/internal';
import {
  AxisContext,
  type RenderContext,
  RenderContextProvider,
  type ScreenInput,
  useIsomorphicLayoutEffect,
  useRenderContext,
} from '@svc/react-core';
import { type CSSProperties, type ReactNode, useMemo, useRef } from 'react';
import { WEB_ACTIONS } from '../host/permissions';
import { StackView } from '../layers/stack';
import { useSystemReducedMotion } from '../motion/reduced-motion';
import { marginCss, paddingCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';
import { fontFaceRules, fontStack } from '../style/text-css';
import { FlowRoot } from './flow-root';
import { ScreenFill } from './screen-fill';
import { useWidth } from './use-width';

export interface ScreenViewProps {
  input: ScreenInput;
  className: string | undefined;
  style: CSSProperties | undefined;
  nonce: string | undefined;
  /** Changes what the layers see: an editor forces states. */
  adapt?: (context: RenderContext) => RenderContext;
}

/** Families that the texts of a screen ask for. */
function usedFamilies(screen: Screen, manifest: FlowManifest): string[] {
  const families = new Set<string | undefined>([manifest.theme?.fontFamily]);
  // Many kinds of style can name a family, at any depth and in any breakpoint.
  JSON.stringify(screen.regions, (key, value) => {
    if (key === 'fontFamily' && typeof value === 'string') families.add(value);
    return value;
  });
  return [...families].flatMap((family) => logicalFontFamily(family, manifest.theme) ?? []);
}

/** One visit of one screen. A new visit is a new instance, so that drafts and motion start afresh. */
export function ScreenView(props: ScreenViewProps): ReactNode {
  const { manifest, screen, locale, palette, branding, mediaMap, previewWidthPx, takesFocus } = props.input;
  const root = useRef<HTMLDivElement>(null);
  const width = useWidth(root, previewWidthPx);
  const systemReducedMotion = useSystemReducedMotion();
  const context = useRenderContext(props.input, { width, systemReducedMotion, actions: WEB_ACTIONS });
  const { direction } = context;

  useIsomorphicLayoutEffect(() => {
    const focused = root.current?.ownerDocument.activeElement;
    // The button that led here is gone, and the focus with it: it goes on at the top of the new screen.
    if (takesFocus && (!focused || focused === focused.ownerDocument.body))
      root.current?.focus({ preventScroll: true });
  }, []);

  const container = responsiveContainer(screen.containerStyle, screen.containerStyleBreakpoints, width);
  const { header, body, footer } = screen.regions;
  const fonts = useMemo(
    () => fontFaceRules(usedFamilies(screen, manifest), branding, mediaMap),
    [screen, manifest, branding, mediaMap],
  );
  return (
    <RenderContextProvider.Provider value={props.adapt?.(context) ?? context}>
      <FlowRoot
        rootRef={root}
        palette={palette}
        fontFamily={fontStack(logicalFontFamily(undefined, manifest.theme))}
        rules={fonts}
        className={props.className}
        style={props.style}
        nonce={props.nonce}
        data-screen={screen.id}
        lang={locale}
        dir={direction}
        tabIndex={-1}
      >
        <ScreenFill fill={container.backgroundFill} />
        <Container css={containerCss(container)}>
          <AxisContext.Provider value="vertical">
            {header && <StackView layer={header} />}
            <div className="svc-body">
              <StackView layer={body} css={{ flexGrow: 1 }} />
            </div>
            {footer && <StackView layer={footer} />}
          </AxisContext.Provider>
        </Container>
      </FlowRoot>
    </RenderContextProvider.Provider>
  );
}

function Container({ css, children }: { css: CSSProperties; children: ReactNode }) {
  return <div {...useStyleProps()(css)}>{children}</div>;
}

function containerCss({ padding, margin, insetSafeArea }: ReturnType<typeof responsiveContainer>): CSSProperties {
  const inset = (side: 'top' | 'bottom', own: number | undefined) =>
    insetSafeArea ? `calc(${own ?? 0}px + env(safe-area-inset-${side}, 0px))` : (own ?? 0);
  return {
    display: 'flex',
    flexDirection: 'column',
    flex: '1 1 auto',
    minHeight: 0,
    ...paddingCss(padding),
    paddingTop: inset('top', padding?.t),
    paddingBottom: inset('bottom', padding?.b),
    ...marginCss(margin),
  };
}
