import type { ImageLayer } from '@svc/core';
import { useLayerStyle, useMediaUrl, useRender } from '@svc/react-core';
import { useEffect, useState } from 'react';
import { Image } from 'react-native';
import { Box } from '../renderer/box';
import { hugs, mediaLayout } from './media';
import { isDrawing, Picture } from './picture';

interface Size {
  width: number;
  height: number;
}

/** Size in px of a picture that gives its box one; null until it is known. */
function useOwnSize(url: string | undefined): Size | null {
  const [known, setKnown] = useState<{ url: string; size: Size }>();
  useEffect(() => {
    if (!url || isDrawing(url)) return undefined;
    let current = true;
    Image.getSize(
      url,
      (width, height) => current && width > 0 && height > 0 && setKnown({ url, size: { width, height } }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [url]);
  return known && known.url === url ? known.size : null;
}

export function ImageView({ layer }: { layer: ImageLayer }) {
  const { palette } = useRender();
  const style = useLayerStyle(layer);
  const url = useMediaUrl(layer.media);
  const hugging = hugs(style);
  const own = useOwnSize(hugging ? url : undefined);
  const open = hugging && (style.width === undefined || style.width === 'auto');
  // The picture keeps its shape by itself, so that a box which has less room than its width still fits it.
  const look = open && own ? { ...style, width: own.width } : style;
  const fit = style.fit ?? 'cover';
  const alt = layer.alt ?? '';
  return (
    <Box
      layer={layer}
      look={look}
      layout={mediaLayout(style, palette, !url)}
      {...(alt ? { accessible: true, role: 'img', 'aria-label': alt } : { 'aria-hidden': true })}
    >
      {url && hugging && own && (
        <Picture url={url} fit={fit} style={{ width: '100%', aspectRatio: own.width / own.height }} />
      )}
      {url && !hugging && <Picture url={url} fit={fit} />}
      {url && hugging && isDrawing(url) && <Picture url={url} fit={fit} style={{ width: '100%', aspectRatio: 1 }} />}
    </Box>
  );
}
