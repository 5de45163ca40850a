import type { StackLayer } from '@svc/core';
import { responsiveLayout } from '@svc/core/internal';
import { useLayerStyle, useRender } from '@svc/react-core';
import type { StyleProp, ViewStyle } from 'react-native';
import { Box } from '../renderer/box';
import { useSurround } from '../renderer/surround-context';
import { flexStyle } from '../style/flex-style';
import { hugsItsContent } from '../style/surround';
import { Children } from './children';

const DEFAULT_GAP = 12;

/** A row or a column of layers. `layout` comes from whatever gives the stack a role of its own. */
export function StackView({ layer, layout }: { layer: StackLayer; layout?: StyleProp<ViewStyle> }) {
  const { width } = useRender();
  const style = useLayerStyle(layer);
  const hugs = hugsItsContent(style, useSurround());
  const { align, distribution, wrap } = layer;
  const { direction, gap } = responsiveLayout(
    { direction: layer.direction, gap: layer.gap ?? DEFAULT_GAP },
    layer.stackLayoutBreakpoints,
    width,
  );
  return (
    <Box layer={layer} look={style} layout={[flexStyle({ direction, gap, align, distribution, wrap }), layout]}>
      <Children layers={layer.children} axis={direction} align={align} hugs={hugs} />
    </Box>
  );
}
