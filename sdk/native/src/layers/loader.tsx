import { type LoaderLayer, multiplyAlpha } from '@svc/core';
import { fillColor, trackColor, useLayerStyle, useLoader, useRender } from '@svc/react-core';
import { useCallback, useState } from 'react';
import type { ViewProps } from 'react-native';
import Animated, {
  type SharedValue,
  useAnimatedProps,
  useAnimatedStyle,
  useSharedValue,
} from 'react-native-reanimated';
import Svg, { Circle } from 'react-native-svg';
import { Box } from '../renderer/box';
import { selfAlign } from '../style/flex-style';
import { BAR_HEIGHT, ROUND } from './progress';

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

const AnimatedCircle = Animated.createAnimatedComponent(Circle);

function CircularLoader({ layer }: { layer: LoaderLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const { share, spoken } = useShare(layer);
  const side = [style.width, style.height].find((size): size is number => typeof size === 'number') ?? CIRCLE_SIZE;
  const stroke = style.strokeWidth ?? STROKE_WIDTH;
  const radius = Math.max(0, (side - stroke) / 2);
  const length = 2 * Math.PI * radius;
  const filled = useAnimatedProps(() => ({ strokeDashoffset: length * (1 - share.value) }), [share, length]);
  const circle = { cx: side / 2, cy: side / 2, r: radius, fill: 'none', strokeWidth: stroke };
  return (
    <Box
      layer={layer}
      look={{ width: side, height: side, ...style }}
      layout={{ alignSelf: selfAlign(layer.align ?? 'start') }}
      {...spoken}
    >
      <Svg width={side} height={side} style={{ transform: [{ rotate: '-90deg' }] }}>
        <Circle {...circle} stroke={trackColor(layer.trackColor, context)} strokeOpacity={layer.trackOpacity ?? 1} />
        <AnimatedCircle
          {...circle}
          animatedProps={filled}
          stroke={fillColor(layer.fillColor, context)}
          strokeLinecap="round"
          strokeDasharray={[length, length]}
        />
      </Svg>
    </Box>
  );
}
