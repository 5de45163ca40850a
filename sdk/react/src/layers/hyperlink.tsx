import type { HyperlinkLayer } from '@svc/core';
import { responsiveLayout } from '@svc/core/internal';
import { safeHref, useAxis, useLayerStyle, useRender } from '@svc/react-core';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { flexCss } from '../style/flex-css';
import { Children } from './children';

export function HyperlinkView({ layer }: { layer: HyperlinkLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { direction, gap } = responsiveLayout(
    { direction: layer.direction ?? ('horizontal' as const), gap: layer.gap ?? 0 },
    layer.hyperlinkLayoutBreakpoints,
    context.width,
  );
  const href = safeHref(layer.href);
  return (
    <Box
      as="a"
      className="svc-press"
      layer={layer}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      onClick={(event) => {
        if (!context.interactive || !href) event.preventDefault();
        else context.openLink(layer.id, href);
      }}
      opacity={layerOpacity(style)}
      css={{
        position: 'relative',
        width: 'fit-content',
        ...flexCss({ direction, gap, align: layer.align, distribution: layer.distribution, wrap: layer.wrap }),
        ...boxCss(style, axis, context),
      }}
    >
      <Children layers={layer.children} axis={direction} />
    </Box>
  );
}
