import type { TextLayer, TextStyle } from '@svc/core';
import { localize, renderTemplate } from '@svc/core/internal';
import { type Axis, type StyleScope, useAxis, useLayerStyle, useRender } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { typographyCss } from '../style/text-css';

/** CSS of a box of words. A hugging text that is not start-aligned keeps its line, else there is nothing to align in. */
export function wordsCss(style: TextStyle, axis: Axis, scope: StyleScope): CSSProperties {
  const aligned = style.align === 'center' || style.align === 'right';
  const hugging = style.width === 'auto' && aligned && style.position !== 'absolute';
  const { width: _, ...unsized } = style;
  return { ...boxCss(hugging ? unsized : style, axis, scope), ...typographyCss(style, scope) };
}

/** From this size in px on a text is a headline, whose lines are made about as long as each other. */
const HEADLINE_SIZE = 28;

export function TextView({ layer }: { layer: TextLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { manifest, responses, customProperties, locale } = context;
  const text = renderTemplate(localize(layer.text, context), { manifest, responses, customProperties, locale });
  return (
    <Box
      as="span"
      className="svc-text"
      layer={layer}
      opacity={layerOpacity(style)}
      css={{
        ...wordsCss(style, axis, context),
        ...((style.fontSize ?? 0) >= HEADLINE_SIZE ? { textWrap: 'balance' } : {}),
      }}
    >
      {text}
    </Box>
  );
}
