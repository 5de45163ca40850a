import type { VideoLayer } from '@svc/core';
import { useAxis, useLayerStyle, useMediaUrl, useRender } from '@svc/react-core';
import { Box, layerOpacity } from '../renderer/box';
import { Film } from './film';
import { mediaBoxCss } from './media';

/** Corners of lottie and video layers without a radius of their own (manifest.md §6.5). */
export const PLAYER_RADIUS = 10;
/** Height in px of a player without any height. */
export const PLAYER_HEIGHT = 160;

export function VideoView({ layer }: { layer: VideoLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const url = useMediaUrl(layer.media);
  const { loop, autoPlay, audioEnabled, onComplete } = layer;
  return (
    <Box
      layer={layer}
      opacity={layerOpacity(style)}
      css={{
        borderRadius: PLAYER_RADIUS,
        ...(style.aspectRatio === undefined ? { height: PLAYER_HEIGHT } : {}),
        ...mediaBoxCss(style, axis, context, !url),
      }}
    >
      {url && (
        <Film
          playerId={layer.id}
          url={url}
          fit={style.fit ?? 'contain'}
          loop={loop}
          autoPlay={autoPlay}
          audioEnabled={audioEnabled}
          onComplete={onComplete}
        />
      )}
    </Box>
  );
}
