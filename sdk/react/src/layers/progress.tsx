import type { ProgressLayer } from '@svc/core';
import { flowProgress } from '@svc/core/internal';
import { fillColor, trackColor, useAxis, useLayerStyle, useRender } from '@svc/react-core';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';

export const BAR_HEIGHT = 6;

export function ProgressView({ layer }: { layer: ProgressLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const percent = Math.round(flowProgress(context.manifest, context.screen.id) * 1000) / 10;
  return (
    <Box
      layer={layer}
      role="progressbar"
      aria-label={layer.name ?? context.copy.loading}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      opacity={layerOpacity(style)}
      css={{
        overflow: 'hidden',
        ...boxCss({ height: BAR_HEIGHT, radius: 999, ...style }, axis, context),
        backgroundColor: trackColor(layer.trackColor, context),
      }}
    >
      <div
        {...styleProps({
          width: `${percent}%`,
          height: '100%',
          borderRadius: 'inherit',
          backgroundColor: fillColor(layer.fillColor, context),
        })}
      />
    </Box>
  );
}
