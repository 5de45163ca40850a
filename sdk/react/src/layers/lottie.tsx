import type { LottieLayer } from '@svc/core';
import { useAxis, useLayerStyle, useMediaUrl, usePlayer, useRender } from '@svc/react-core';
import type { AnimationItem } from 'lottie-web';
import { useEffect, useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { useStyleProps } from '../style/server-sheet';
import { mediaBoxCss } from './media';
import { PLAYER_HEIGHT, PLAYER_RADIUS } from './video';

export function LottieView({ layer }: { layer: LottieLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const url = useMediaUrl(layer.media);
  const host = useRef<HTMLDivElement>(null);
  const animation = useRef<AnimationItem | null>(null);
  const { interactive, reducedMotion } = context;
  const fit = style.fit ?? 'contain';
  const loop = layer.loop !== false;
  const autoPlay = layer.autoPlay !== false;

  const ended = usePlayer(layer.id, layer, () => {
    if (animation.current?.isPaused) animation.current.goToAndPlay(0, true);
  });
  const latestEnded = useRef(ended);
  useEffect(() => {
    latestEnded.current = ended;
  });

  useEffect(() => {
    const container = host.current;
    if (!url || !container) return undefined;
    let gone = false;
    void import('./play-animation').then((part) => {
      if (gone) return;
      const ended = () => latestEnded.current();
      animation.current = part.playAnimation({
        container,
        url,
        fit,
        loop,
        autoPlay,
        interactive,
        reducedMotion,
        ended,
      });
    });
    return () => {
      gone = true;
      animation.current?.destroy();
      animation.current = null;
    };
  }, [url, loop, autoPlay, interactive, reducedMotion, fit]);

  return (
    <Box
      layer={layer}
      aria-hidden
      opacity={layerOpacity(style)}
      css={{
        borderRadius: PLAYER_RADIUS,
        ...(style.aspectRatio === undefined ? { height: PLAYER_HEIGHT } : {}),
        ...mediaBoxCss(style, axis, context, !url),
      }}
    >
      <div ref={host} {...styleProps({ position: 'absolute', inset: 0 })} />
    </Box>
  );
}
