import type { LoaderLayer } from '@svc/core';
import { multiplyAlpha } from '@svc/core/internal';
import { fillColor, trackColor, useLayerStyle, useLoader, useRender } from '@svc/react-core';
import { useCallback, useState } from 'react';
import type { ViewProps } from 'react-native';
import Animated, { type SharedValue, useAnimatedStyle, useSharedValue } from 'react-native-reanimated';
import { Box } from '../renderer/box';
import { selfAlign } from '../style/flex-style';
import { BAR_HEIGHT, ROUND } from './progress';
import { Ring } from './ring';

const CIRCLE_SIZE = 48;
const STROKE_WIDTH = 4;
/** A screen reader hears about a loader in steps of this many percent; more often it would talk without a pause. */
const SPOKEN_STEP = 10;

export function LoaderView({ layer }: { layer: LoaderLayer }) {
  return layer.variant === 'circular' ? <CircularLoader layer={layer} /> : <LinearLoader layer={layer} />;
}

/** The filled share as the drawing thread sees it, and what screen readers hear. */
function useShare(layer: LoaderLayer): { share: SharedValue<number>; spoken: ViewProps } {
  const { copy } = useRender();
  const share = useSharedValue(0);
  const [percent, setPercent] = useState(0);
  const draw = useCallback(
    (now: number) => {
      share.value = now;
      setPercent(Math.floor((now * 100) / SPOKEN_STEP) * SPOKEN_STEP);
    },
    [share],
  );
  useLoader(layer, draw);
  const spoken: ViewProps = {
    accessible: true,
    role: 'progressbar',
    'aria-label': layer.name ?? copy.loading,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': percent,
  };
  return { share, spoken };
}

function LinearLoader({ layer }: { layer: LoaderLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const { share, spoken } = useShare(layer);
  const filled = useAnimatedStyle(() => ({ width: `${share.value * 100}%` }), [share]);
  const look = { height: BAR_HEIGHT, radius: ROUND, ...style };
  return (
    <Box
      layer={layer}
      look={look}
      layout={[
        {
          overflow: 'hidden',
          backgroundColor: multiplyAlpha(trackColor(layer.trackColor, context), layer.trackOpacity ?? 1),
        },
        layer.align ? { alignSelf: selfAlign(layer.align) } : null,
      ]}
      {...spoken}
    >
      <Animated.View
        style={[
          { height: '100%', borderRadius: look.radius, backgroundColor: fillColor(layer.fillColor, context) },
          filled,
        ]}
      />
    </Box>
  );
}

function CircularLoader({ layer }: { layer: LoaderLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const { share, spoken } = useShare(layer);
  const side = [style.width, style.height].find((size): size is number => typeof size === 'number') ?? CIRCLE_SIZE;
  return (
    <Box
      layer={layer}
      look={{ width: side, height: side, ...style }}
      layout={{ alignSelf: selfAlign(layer.align ?? 'start') }}
      {...spoken}
    >
      <Ring
        side={side}
        stroke={style.strokeWidth ?? STROKE_WIDTH}
        share={share}
        trackColor={trackColor(layer.trackColor, context)}
        trackOpacity={layer.trackOpacity ?? 1}
        fillColor={fillColor(layer.fillColor, context)}
      />
    </Box>
  );
}
