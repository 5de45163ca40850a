import type { CommonStyle, StackLayer } from '@svc/core';
import { BUTTON_VARIANTS, DEFAULT_FILL_COLOR, mergeStyle } from '@svc/core/internal';

/** An option that the author has not dressed gets a frame, and a stronger one when it is chosen. */
export function withOptionChrome(root: StackLayer, palette: 'light' | 'dark', accent: string | undefined): StackLayer {
  const { background, border, padding } = root.style ?? {};
  if (background || border || padding || root.selectedStyle) return root;
  const frame: CommonStyle = {
    padding: { t: 12, b: 12, l: 14, r: 14 },
    radius: 10,
    border: { width: 1, color: BUTTON_VARIANTS.secondary.border?.[palette] ?? '' },
  };
  const chosen: CommonStyle = { border: { width: 1, color: accent ?? DEFAULT_FILL_COLOR[palette] } };
  return { ...root, style: mergeStyle(frame, root.style), selectedStyle: chosen };
}
