import type { Layer } from '@svc/core';
import { childLayers, localize, type TextLocale } from '@svc/core/internal';

/**
 * Whether a layer in a row keeps its width: nothing in it can wrap. Phones would rather break a word in two than leave
 * it to its neighbours to make room.
 */
export function isRigid(layer: Layer, locale: TextLocale): boolean {
  switch (layer.kind) {
    case 'text':
      return !/\s/.test(localize(layer.text, locale).trim());
    case 'icon':
    case 'counter':
      return true;
    case 'stack':
    case 'hyperlink':
    case 'button':
    case 'back_button':
      return hugsItsContent(layer.style) && childLayers(layer).every((child) => isRigid(child, locale));
    default:
      return false;
  }
}

function hugsItsContent(style: { width?: unknown } | undefined): boolean {
  return style?.width === undefined || style.width === 'auto';
}
