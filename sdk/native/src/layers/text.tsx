import type { CommonStyle, TextLayer, TextStyle } from '@svc/core';
import { localize, renderTemplate } from '@svc/core/internal';
import { useLayerStyle, useRender } from '@svc/react-core';
import { Box } from '../renderer/box';
import { Words } from '../renderer/words';

/** Look of a box of words. A hugging text that is not start-aligned keeps its line, else there is nothing to align in. */
export function wordsLook(style: TextStyle): CommonStyle {
  const aligned = style.align === 'center' || style.align === 'right';
  if (style.width !== 'auto' || !aligned || style.position === 'absolute') return style;
  const { width: _, ...unsized } = style;
  return unsized;
}

/** Style of the words in such a box. Opacity is the box's. */
export function wordsStyle({ opacity: _, ...style }: TextStyle): TextStyle {
  return style;
}

export function TextView({ layer }: { layer: TextLayer }) {
  const context = useRender();
  const { manifest, responses, customProperties, locale } = context;
  const style = useLayerStyle(layer);
  const text = renderTemplate(localize(layer.text, context), { manifest, responses, customProperties, locale });
  return (
    <Box layer={layer} look={wordsLook(style)}>
      <Words text={text} style={wordsStyle(style)} />
    </Box>
  );
}
