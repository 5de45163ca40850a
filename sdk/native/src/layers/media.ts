import type { ImageStyle } from '@svc/core';
import { MEDIA_PLACEHOLDER_COLOR, type Palette } from '@svc/core/internal';
import type { ViewStyle } from 'react-native';

/** Height that media is authored with (manifest.md §3.6); a placeholder without it would be invisible. */
const DEFAULT_MEDIA_HEIGHT = 160;

/** What the box around an image, an animation or a film has beside the style of its layer. */
export function mediaLayout(style: ImageStyle, palette: Palette, missing: boolean): ViewStyle {
  const { aspectRatio, height } = style;
  const sized = aspectRatio !== undefined || (height !== undefined && height !== 'auto');
  return {
    overflow: 'hidden',
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(missing ? { backgroundColor: MEDIA_PLACEHOLDER_COLOR[palette] } : {}),
    ...(missing && !sized ? { minHeight: DEFAULT_MEDIA_HEIGHT } : {}),
  };
}

/** Whether the height of the box comes from the media instead of the author. */
export function hugs({ height, aspectRatio }: ImageStyle): boolean {
  return (height === undefined || height === 'auto') && aspectRatio === undefined;
}

/** Corners of lottie and video layers without a radius of their own (manifest.md §6.5). */
const PLAYER_RADIUS = 10;
/** Height in px of a player without any height. */
const PLAYER_HEIGHT = 160;

/** The style of an animation or a film with what its author left open. */
export function playerStyle(style: ImageStyle): ImageStyle {
  return {
    radius: PLAYER_RADIUS,
    ...(hugs(style) ? { ...style, height: PLAYER_HEIGHT } : style),
  };
}
