import { activeScreenLayers, textDirection } from '@svc/core/internal';
import { useMemo, useState } from 'react';
import type { PlatformActions } from '../host/host-client';
import { useMotionPolicy } from '../motion/motion-context';
import { useScreenClock } from '../motion/screen-clock';
import { Carousels } from './carousels';
import { Players } from './players';
import type { RenderContext } from './render-context';
import type { ScreenInput } from './renderer-props';
import { useActions } from './use-actions';
import { useScreenDraft } from './use-screen-draft';

/** What a platform knows about the screen that it draws. */
export interface ScreenHost {
  /** Width in px that breakpoints look at. */
  width: number;
  /** Whether the visitor's system asks for less motion. */
  systemReducedMotion: boolean;
  actions: PlatformActions;
}

/** The context of one visit of a screen; its draft and its clock live as long as the component that asks. */
export function useRenderContext(
  input: ScreenInput,
  { width, systemReducedMotion, actions }: ScreenHost,
): RenderContext {
  const { manifest, screen, locale, interactive, expression, onExternalLink } = input;
  const clock = useScreenClock();
  const motion = useMotionPolicy(systemReducedMotion);
  const [players] = useState(() => new Players());
  const [carousels] = useState(() => new Carousels());
  const layers = useMemo(() => activeScreenLayers(screen, expression), [screen, expression]);
  const { draft, setInput, setCheckbox } = useScreenDraft(layers);
  const { onRespond, onAction, onAppReview, hasHistory } = input;
  const performed = useActions({
    manifest,
    screen,
    layers,
    draft,
    interactive,
    onRespond,
    onAction,
    onAppReview,
    hasHistory,
    actions,
    players,
    carousels,
  });
  return {
    ...performed,
    manifest,
    screen,
    locale,
    direction: textDirection(locale),
    palette: input.palette,
    theme: manifest.theme,
    branding: input.branding,
    mediaMap: input.mediaMap,
    width,
    interactive,
    reducedMotion: motion.reduced,
    frozenMs: motion.timeMs,
    clock,
    responses: expression.responses,
    expression,
    customProperties: input.customProperties,
    layers,
    draft,
    copy: input.copy,
    players,
    carousels,
    setInput,
    setCheckbox,
    openLink: (layerId, href) => onExternalLink?.({ layerId, href }),
  };
}
