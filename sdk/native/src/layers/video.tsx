import type { VideoLayer } from '@svc/core';
import { useLayerStyle, useMediaUrl, useRender } from '@svc/react-core';
import { Box } from '../renderer/box';
import { Film } from './film';
import { mediaLayout, playerStyle } from './media';

export function VideoView({ layer }: { layer: VideoLayer }) {
  const { palette } = useRender();
  const style = playerStyle(useLayerStyle(layer));
  const url = useMediaUrl(layer.media);
  const { loop, autoPlay, audioEnabled, onComplete } = layer;
  return (
    <Box
      layer={layer}
      look={style}
      layout={mediaLayout(style, palette, !url)}
      {...(layer.name ? { accessible: true, 'aria-label': layer.name } : {})}
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
