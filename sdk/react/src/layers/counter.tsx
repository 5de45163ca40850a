import type { CounterLayer } from '@svc/core';
import { counterDurationMs, counterText } from '@svc/core/internal';
import { useAxis, useIsomorphicLayoutEffect, useLayerStyle, useRender } from '@svc/react-core';
import { useEffect, useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { wordsCss } from './text';

export function CounterView({ layer }: { layer: CounterLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { clock, interactive, frozenMs, reducedMotion } = context;
  // Time that passes is no motion.
  const isTime = layer.displayKind === 'time';
  const runs = interactive && frozenMs === undefined && (isTime || !reducedMotion);
  const words = useRef<HTMLSpanElement>(null);
  const restMs = isTime && layer.startValue > layer.endValue ? 0 : Number.POSITIVE_INFINITY;

  useEffect(() => {
    if (!runs) return undefined;
    const end = (layer.delayMs ?? 0) + counterDurationMs(layer);
    return clock.add((elapsed) => {
      if (words.current) words.current.textContent = counterText(layer, elapsed);
      return elapsed < end;
    });
  }, [runs, clock, layer]);
  // A render in between must not put the first value back.
  useIsomorphicLayoutEffect(() => {
    if (runs && words.current) words.current.textContent = counterText(layer, clock.elapsedMs);
  });

  return (
    <Box
      as="span"
      className="svc-text"
      layer={layer}
      role={isTime ? 'timer' : undefined}
      opacity={layerOpacity(style)}
      css={{ ...wordsCss(style, axis, context), fontVariantNumeric: 'tabular-nums' }}
    >
      {/* Screen readers get the result at once, or how long there is, instead of every step on the way. */}
      <span className="svc-hidden">{counterText(layer, restMs)}</span>
      <span ref={words} aria-hidden="true" suppressHydrationWarning>
        {counterText(layer, runs ? 0 : (frozenMs ?? restMs))}
      </span>
    </Box>
  );
}
