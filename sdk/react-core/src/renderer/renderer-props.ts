import type {
  Branding,
  ButtonAction,
  FlowManifest,
  Screen,
  SdkAttributes,
  StepResponse,
  StoredResponses,
} from '@svc/core';
import { type ExpressionContext, type Palette, resolveLocale } from '@svc/core/internal';
import { useEffect, useMemo, useRef } from 'react';
import type { ReviewListener } from '../host/review';
import { type Copy, DEFAULT_COPY } from './copy';
import type { ActionListeners, ActionMeta } from './use-actions';

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

/** Props of `LayerRenderer` that mean the same on every platform. */
export interface BaseRendererProps {
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
  /** Called for the two moments of an in-app review prompt. */
  onAppReview?: ReviewListener;
  /** Width in px that breakpoints look at. Default: the measured width. */
  previewWidthPx?: number;
  /** Changes when the screen is visited anew, so that drafts and motion start afresh even on the same screen. */
  visit?: string | number;
  /** Words of the renderer itself. Default: English. */
  copy?: Partial<Copy>;
}

/** What one visit of a screen is drawn from. */
export interface ScreenInput extends ActionListeners {
  manifest: FlowManifest;
  screen: Screen;
  /** The locale of the manifest that is really used. */
  locale: string;
  palette: Palette;
  branding: Branding | undefined;
  mediaMap: Readonly<Record<string, string>>;
  interactive: boolean;
  expression: ExpressionContext;
  customProperties: Readonly<Record<string, string>>;
  hasHistory: boolean;
  copy: Copy;
  onExternalLink: ((link: { layerId: string; href: string }) => void) | undefined;
  previewWidthPx: number | undefined;
  /** Takes the focus when it would be lost: the screen before this one had it. */
  takesFocus: boolean;
}

const NO_MEDIA: Readonly<Record<string, string>> = {};
const NO_CONTEXT: InterpolationContext = {};

/**
 * Completes what a host gave to `LayerRenderer`. The key tells one visit of a screen from another.
 *
 * @param platform what conditional layers see when no run says better
 */
export function useScreenInput(props: BaseRendererProps, platform: string): { key: string; input: ScreenInput } {
  const { manifest, screen, interpolationContext = NO_CONTEXT, copy } = props;
  const { responses, sdkAttributes, customProperties, canGoBack } = interpolationContext;
  const locale = resolveLocale(manifest, props.locale);
  const sessionLocale = interpolationContext.locale ?? locale;
  const sessionPlatform = interpolationContext.platform ?? platform;
  const expression = useMemo(
    () => ({
      responses: responses ?? {},
      sdkAttributes: sdkAttributes ?? {},
      locale: sessionLocale,
      platform: sessionPlatform,
    }),
    [responses, sdkAttributes, sessionLocale, sessionPlatform],
  );
  const words = useMemo<Copy>(() => ({ ...DEFAULT_COPY, ...copy }), [copy]);
  const visited = useRef(false);
  useEffect(() => {
    visited.current = true;
  }, []);
  const interactive = props.mode ? props.mode === 'interactive' : (props.interactive ?? true);
  return {
    key: `${screen.id} ${props.visit ?? ''}`,
    input: {
      manifest,
      screen,
      locale,
      palette: props.theme ?? 'light',
      branding: props.branding,
      mediaMap: props.mediaMap ?? NO_MEDIA,
      interactive,
      expression,
      customProperties: customProperties ?? NO_MEDIA,
      hasHistory: canGoBack ?? false,
      copy: words,
      onRespond: props.onRespond,
      onAction: props.onAction,
      onAppReview: props.onAppReview,
      onExternalLink: props.onExternalLink ?? props.onHyperlinkOpened,
      previewWidthPx: props.previewWidthPx,
      takesFocus: visited.current && interactive,
    },
  };
}
