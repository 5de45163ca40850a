import type { StackLayer } from '@svc/core';
import { responsiveLayout } from '@svc/core/internal';
import { useAxis, useLayerStyle, useRender } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { flexCss } from '../style/flex-css';
import { Children } from './children';

const DEFAULT_GAP = 12;

/** A row or a column of layers. `css` comes from whatever gives the stack a role of its own. */
export function StackView({ layer, css }: { layer: StackLayer; css?: CSSProperties }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { direction, gap } = responsiveLayout(
    { direction: layer.direction, gap: layer.gap ?? DEFAULT_GAP },
    layer.stackLayoutBreakpoints,
    context.width,
  );
  return (
    <Box
      layer={layer}
      opacity={layerOpacity(style)}
      css={{
        position: 'relative',
        ...flexCss({ direction, gap, align: layer.align, distribution: layer.distribution, wrap: layer.wrap }),
        ...boxCss(style, axis, context),
        ...css,
      }}
    >
      <Children layers={layer.children} axis={direction} />
    </Box>
  );
}
