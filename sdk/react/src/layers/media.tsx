import type { ImageStyle } from '@svc/core';
import { MEDIA_PLACEHOLDER_COLOR } from '@svc/core/internal';
import type { Axis, RenderContext } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { boxCss } from '../style/box-css';

/** CSS of the box around an image, an animation or a film. */
export function mediaBoxCss(style: ImageStyle, axis: Axis, context: RenderContext, missing: boolean): CSSProperties {
  const hasRatio = style.aspectRatio !== undefined;
  return {
    position: 'relative',
    overflow: 'hidden',
    ...boxCss(style, axis, context),
    ...(hasRatio ? { aspectRatio: String(style.aspectRatio) } : {}),
    ...(missing
      ? { backgroundColor: MEDIA_PLACEHOLDER_COLOR[context.palette], ...placeholderSize(style, hasRatio) }
      : {}),
  };
}

/** Height that media is authored with (manifest.md §3.6); a placeholder without it would be invisible. */
const DEFAULT_MEDIA_HEIGHT = 160;

function placeholderSize(style: ImageStyle, hasRatio: boolean): CSSProperties {
  const sized = hasRatio || (style.height !== undefined && style.height !== 'auto');
  return sized ? {} : { minHeight: DEFAULT_MEDIA_HEIGHT };
}

/** Whether the box takes its size from the media instead of giving it one. */
export function hugs(style: ImageStyle): boolean {
  const open = (size: unknown): boolean => size === undefined || size === 'auto';
  return open(style.height) && style.aspectRatio === undefined;
}
