import type { ImageLayer } from '@svc/core';
import { useLayerStyle, useMediaUrl, useRender } from '@svc/react-core';
import { useEffect, useState } from 'react';
import { Image } from 'react-native';
import { Box } from '../renderer/box';
import { drawingSize, isDrawing, type Size, useDrawing } from './drawing';
import { hugs, mediaLayout } from './media';
import { Picture } from './picture';

/** Size of a picture that gives its box one; null until it is known. */
function useOwnSize(url: string | undefined): Size | null {
  const [known, setKnown] = useState<{ url: string; size: Size }>();
  const drawn = url !== undefined && isDrawing(url);
  const xml = useDrawing(drawn ? url : undefined);
  useEffect(() => {
    if (!url || drawn) return undefined;
    let current = true;
    Image.getSize(
      url,
      (width, height) => current && width > 0 && height > 0 && setKnown({ url, size: { width, height } }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [url, drawn]);
  if (drawn) return xml === null ? null : drawingSize(xml);
  return known && known.url === url ? known.size : null;
}

export function ImageView({ layer }: { layer: ImageLayer }) {
  const { palette } = useRender();
  const style = useLayerStyle(layer);
  const url = useMediaUrl(layer.media);
  const hugging = hugs(style);
  const own = useOwnSize(hugging ? url : undefined);
  const open = hugging && (style.width === undefined || style.width === 'auto');
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
      {url && !hugging && <Picture url={url} fit={fit} />}
      {/* It keeps its shape by itself, so that a box which has less room than its width still fits it. */}
      {url && hugging && own && (
        <Picture url={url} fit={fit} style={{ width: '100%', aspectRatio: own.width / own.height }} />
      )}
    </Box>
  );
}
