import type { ProgressLayer } from '@svc/core';
import { flowProgress } from '@svc/core/internal';
import { fillColor, trackColor, useLayerStyle, useRender } from '@svc/react-core';
import { View } from 'react-native';
import { Box } from '../renderer/box';

/** Height in px of a bar whose author set none. */
export const BAR_HEIGHT = 6;
/** Larger than half of any bar's height: ends are round. */
export const ROUND = 999;

export function ProgressView({ layer }: { layer: ProgressLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const percent = Math.round(flowProgress(context.manifest, context.screen.id) * 1000) / 10;
  const look = { height: BAR_HEIGHT, radius: ROUND, ...style };
  return (
    <Box
      layer={layer}
      look={look}
      layout={{ overflow: 'hidden', backgroundColor: trackColor(layer.trackColor, context) }}
      accessible
      role="progressbar"
      aria-label={layer.name ?? context.copy.loading}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
    >
      <View
        style={{
          width: `${percent}%`,
          height: '100%',
          borderRadius: look.radius,
          backgroundColor: fillColor(layer.fillColor, context),
        }}
      />
    </Box>
  );
}
