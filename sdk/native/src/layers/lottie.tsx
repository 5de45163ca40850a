import type { LottieLayer } from '@svc/core';
import { useLayerStyle, useMediaUrl, usePlayer, useRender } from '@svc/react-core';
import type LottieComponent from 'lottie-react-native';
import { useEffect, useRef } from 'react';
import { StyleSheet } from 'react-native';
import { loadLottie } from '../host/drawn-modules';
import { Box } from '../renderer/box';
import { mediaLayout, playerStyle } from './media';

const RESIZE = { cover: 'cover', contain: 'contain', fill: 'cover' } as const;

export function LottieView({ layer }: { layer: LottieLayer }) {
  const { palette, interactive, reducedMotion } = useRender();
  const style = playerStyle(useLayerStyle(layer));
  const url = useMediaUrl(layer.media);
  const NativeLottie = loadLottie();
  const animation = useRef<LottieComponent>(null);
  const playing = useRef(false);
  const loop = layer.loop !== false;
  const autoPlay = layer.autoPlay !== false;
  const moves = interactive && autoPlay && !reducedMotion;
  // The last frame stands for an animation that does not run, the first for one that waits for its button.
  const rests = autoPlay && !moves;

  const ended = usePlayer(layer.id, layer, () => {
    if (playing.current) return;
    playing.current = true;
    animation.current?.reset();
    animation.current?.play();
  });
  // Without a player nothing will ever end, and what waits for that would stand still.
  const absent = !NativeLottie && url !== undefined && interactive && autoPlay;
  const latest = useRef(ended);
  useEffect(() => {
    latest.current = ended;
  });
  useEffect(() => {
    if (absent) latest.current();
  }, [absent]);
  return (
    <Box layer={layer} look={style} layout={mediaLayout(style, palette, !url)} aria-hidden>
      {url && NativeLottie && (
        <NativeLottie
          // Players read how they start once.
          key={`${url} ${moves}`}
          ref={animation}
          source={{ uri: url }}
          autoPlay={moves}
          loop={loop}
          {...(rests ? { progress: 1 } : {})}
          resizeMode={RESIZE[style.fit ?? 'contain']}
          style={StyleSheet.absoluteFill}
          onAnimationLoaded={() => {
            playing.current = moves;
            // Whatever waits for the end of an animation that does not run goes on.
            if (rests && interactive) ended();
          }}
          onAnimationFinish={(isCancelled) => {
            playing.current = false;
            if (!isCancelled) ended();
          }}
        />
      )}
    </Box>
  );
}
