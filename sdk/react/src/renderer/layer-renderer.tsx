import {
  type Branding,
  type ButtonAction,
  type FlowManifest,
  type Palette,
  resolveLocale,
  type Screen,
  type SdkAttributes,
  type StepResponse,
  type StoredResponses,
} from '@svc/core';
import { type CSSProperties, useEffect, useMemo, useRef } from 'react';
import { type Copy, DEFAULT_COPY } from './copy';
import { ScreenView } from './screen-view';
import type { ActionMeta } from './use-actions';

/** What texts and conditional layers look at. */
export interface InterpolationContext {
  /** Answers so far, as the state of a run keeps them. */
  responses?: StoredResponses;
  /** Values of `{{ custom.key }}`. */
  customProperties?: Readonly<Record<string, string>>;
  /** Whether there is a screen to go back to. */
  canGoBack?: boolean;
  /** Attributes of the run that conditional layers may read. */
  sdkAttributes?: SdkAttributes;
  /** Locale and platform of the run that conditional layers may read. */
  locale?: string;
  platform?: string;
}

export interface LayerRendererProps {
  manifest: FlowManifest;
  screen: Screen;
  /** Wanted locale; comes down to one of the manifest's. Default: the manifest's default locale. */
  locale?: string;
  /** Palette. Default `light`. */
  theme?: Palette;
  /** Addresses of media by asset id. */
  mediaMap?: Readonly<Record<string, string>>;
  branding?: Branding;
  /** `static` draws without listening: taps do nothing and everything stands still. Default `interactive`. */
  mode?: 'interactive' | 'static';
  /** Another spelling of `mode`. */
  interactive?: boolean;
  interpolationContext?: InterpolationContext;
  /** Answers of the visitor, ready for `submitResponse`. */
  onRespond?: (response: StepResponse) => void;
  /** Called first for every tapped button. */
  onAction?: (action: ButtonAction, meta: ActionMeta) => void;
  onExternalLink?: (link: { layerId: string; href: string }) => void;
  /** Another spelling of `onExternalLink`. */
  onHyperlinkOpened?: (link: { layerId: string; href: string }) => void;
  /** Width in px that breakpoints look at. Default: the measured width. */
  previewWidthPx?: number;
  /** Changes when the screen is visited anew, so that drafts and motion start afresh even on the same screen. */
  visit?: string | number;
  /** Words of the renderer itself. Default: English. */
  copy?: Partial<Copy>;
  className?: string;
  style?: CSSProperties;
}

const NO_MEDIA: Readonly<Record<string, string>> = {};
const NO_CONTEXT: InterpolationContext = {};

/** Draws one screen of a flow. Needs no provider and no network. */
export function LayerRenderer(props: LayerRendererProps) {
  const { manifest, screen, interpolationContext = NO_CONTEXT, copy } = props;
  const { responses, sdkAttributes, platform, customProperties, canGoBack } = interpolationContext;
  const locale = resolveLocale(manifest, props.locale);
  const sessionLocale = interpolationContext.locale ?? locale;
  const expression = useMemo(
    () => ({
      responses: responses ?? {},
      sdkAttributes: sdkAttributes ?? {},
      locale: sessionLocale,
      platform: platform ?? 'web',
    }),
    [responses, sdkAttributes, sessionLocale, platform],
  );
  const words = useMemo<Copy>(() => ({ ...DEFAULT_COPY, ...copy }), [copy]);
  const visited = useRef(false);
  useEffect(() => {
    visited.current = true;
  }, []);
  const interactive = props.mode ? props.mode === 'interactive' : (props.interactive ?? true);
  return (
    <ScreenView
      key={`${screen.id} ${props.visit ?? ''}`}
      manifest={manifest}
      screen={screen}
      locale={locale}
      palette={props.theme ?? 'light'}
      branding={props.branding}
      mediaMap={props.mediaMap ?? NO_MEDIA}
      interactive={interactive}
      expression={expression}
      customProperties={customProperties ?? NO_MEDIA}
      hasHistory={canGoBack ?? false}
      copy={words}
      onRespond={props.onRespond}
      onAction={props.onAction}
      onExternalLink={props.onExternalLink ?? props.onHyperlinkOpened}
      previewWidthPx={props.previewWidthPx}
      takesFocus={visited.current && interactive}
      className={props.className}
      style={props.style}
    />
  );
}
