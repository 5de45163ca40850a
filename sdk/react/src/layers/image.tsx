import type { ImageLayer } from '@svc/core';
import { useAxis, useLayerStyle, useMediaUrl, useRender } from '@svc/react-core';
import { Box, layerOpacity } from '../renderer/box';
import { useStyleProps } from '../style/server-sheet';
import { hugs, mediaBoxCss } from './media';

export function ImageView({ layer }: { layer: ImageLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const url = useMediaUrl(layer.media);
  const alt = layer.alt ?? '';
  const intrinsic = hugs(style) && (style.width === undefined || style.width === 'auto');
  const size = intrinsic
    ? { maxWidth: '100%', height: 'auto' }
    : { width: '100%', height: hugs(style) ? 'auto' : '100%' };
  return (
    <Box
      layer={layer}
      opacity={layerOpacity(style)}
      css={{
        ...(intrinsic && url ? { width: 'fit-content', maxWidth: '100%' } : {}),
        ...mediaBoxCss(style, axis, context, !url),
      }}
      {...(url ? {} : alt ? { role: 'img', 'aria-label': alt } : { 'aria-hidden': true })}
    >
      {url && (
        <img
          src={url}
          alt={alt}
          draggable={false}
          decoding="async"
          {...styleProps({ display: 'block', ...size, objectFit: style.fit ?? 'cover' })}
        />
      )}
    </Box>
  );
}
