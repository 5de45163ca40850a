import type { CounterLayer } from '@svc/core';
import { counterDurationMs, counterText } from '@svc/core/internal';
import { useLayerStyle, useRender } from '@svc/react-core';
import { useEffect, useState } from 'react';
import { Platform, Text } from 'react-native';
import { Box } from '../renderer/box';
import { useTextStyle } from '../renderer/typography';
import { wordsLook, wordsStyle } from './text';

/** In a browser only what has a role may have a name; on a phone none is needed. */
const PLAIN_ROLE = Platform.OS === 'web' ? 'img' : undefined;

export function CounterView({ layer }: { layer: CounterLayer }) {
  const { clock, interactive, frozenMs, reducedMotion } = useRender();
  const style = useLayerStyle(layer);
  const drawn = useTextStyle(wordsStyle(style));
  // Time that passes is no motion.
  const isTime = layer.displayKind === 'time';
  const runs = interactive && frozenMs === undefined && (isTime || !reducedMotion);
  const restMs = isTime && layer.startValue > layer.endValue ? 0 : Number.POSITIVE_INFINITY;
  const [counted, setCounted] = useState(() => counterText(layer, 0));

  useEffect(() => {
    if (!runs) return undefined;
    const end = (layer.delayMs ?? 0) + counterDurationMs(layer);
    return clock.add((elapsed) => {
      setCounted(counterText(layer, elapsed));
      return elapsed < end;
    });
  }, [runs, clock, layer]);

  return (
    // Screen readers get the result at once, or how long there is, instead of every step on the way.
    <Box
      layer={layer}
      look={wordsLook(style)}
      accessible
      aria-label={counterText(layer, restMs)}
      role={isTime ? 'timer' : PLAIN_ROLE}
    >
      <Text aria-hidden style={[drawn, { fontVariant: ['tabular-nums'] }]}>
        {runs ? counted : counterText(layer, frozenMs ?? restMs)}
      </Text>
    </Box>
  );
}
