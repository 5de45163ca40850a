import { isManualSubmitInput, type LoaderLayer, loaderEndMs, loaderProgress, multiplyAlpha } from '@svc/core';
import { useEffect, useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { useAxis, useRender } from '../renderer/render-context';
import { useLayerStyle } from '../renderer/use-layer-style';
import { boxCss } from '../style/box-css';
import { selfAlign } from '../style/flex-css';
import { BAR_HEIGHT, fillColor, trackColor } from './progress';

const CIRCLE_SIZE = 48;
const STROKE_WIDTH = 4;

/** Runs `draw` with the loader's share, 0 to 1, until it is full, and follows its `onComplete` once. */
function useLoader(layer: LoaderLayer, draw: (share: number) => void): void {
  const { clock, interactive, frozenMs, layers, finish } = useRender();
  const latest = useRef({ draw, finish });
  useEffect(() => {
    latest.current = { draw, finish };
  });
  // An input that waits for Continue must not be swept away by a loader on the same screen.
  const leads = interactive && frozenMs === undefined && !layers.some(isManualSubmitInput);
  const finished = useRef(false);

  useEffect(() => {
    if (frozenMs !== undefined || !interactive) {
      latest.current.draw(loaderProgress(layer, frozenMs ?? Number.POSITIVE_INFINITY));
      return undefined;
    }
    return clock.add((elapsed) => {
      latest.current.draw(loaderProgress(layer, elapsed));
      return elapsed < loaderEndMs(layer);
    });
  }, [clock, layer, interactive, frozenMs]);

  useEffect(() => {
    if (!leads || finished.current) return undefined;
    const timer = setTimeout(() => {
      finished.current = true;
      latest.current.finish(layer.onComplete);
    }, loaderEndMs(layer));
    return () => clearTimeout(timer);
  }, [leads, layer]);
}

export function LoaderView({ layer }: { layer: LoaderLayer }) {
  return layer.variant === 'circular' ? <CircularLoader layer={layer} /> : <LinearLoader layer={layer} />;
}

function progressProps(layer: LoaderLayer, label: string) {
  return { role: 'progressbar', 'aria-label': layer.name ?? label, 'aria-valuemin': 0, 'aria-valuemax': 100 } as const;
}

function LinearLoader({ layer }: { layer: LoaderLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const bar = useRef<HTMLDivElement>(null);
  const root = useRef<HTMLElement>(null);
  useLoader(layer, (share) => {
    if (bar.current) bar.current.style.width = `${share * 100}%`;
    root.current?.setAttribute('aria-valuenow', String(Math.round(share * 100)));
  });
  return (
    <Box
      layer={layer}
      boxRef={root}
      {...progressProps(layer, context.copy.loading)}
      opacity={layerOpacity(style)}
      css={{
        overflow: 'hidden',
        alignSelf: layer.align ? selfAlign(layer.align) : undefined,
        ...boxCss({ height: BAR_HEIGHT, radius: 999, ...style }, axis, context),
        backgroundColor: multiplyAlpha(trackColor(layer.trackColor, context), layer.trackOpacity ?? 1),
      }}
    >
      <div
        ref={bar}
        style={{
          width: 0,
          height: '100%',
          borderRadius: 'inherit',
          backgroundColor: fillColor(layer.fillColor, context),
        }}
      />
    </Box>
  );
}

function CircularLoader({ layer }: { layer: LoaderLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const ring = useRef<SVGCircleElement>(null);
  const root = useRef<HTMLElement>(null);
  const side = [style.width, style.height].find((size): size is number => typeof size === 'number') ?? CIRCLE_SIZE;
  const stroke = style.strokeWidth ?? STROKE_WIDTH;
  const radius = Math.max(0, (side - stroke) / 2);
  const length = 2 * Math.PI * radius;
  useLoader(layer, (share) => {
    ring.current?.setAttribute('stroke-dashoffset', String(length * (1 - share)));
    root.current?.setAttribute('aria-valuenow', String(Math.round(share * 100)));
  });
  const circle = { cx: side / 2, cy: side / 2, r: radius, fill: 'none', strokeWidth: stroke };
  return (
    <Box
      layer={layer}
      boxRef={root}
      {...progressProps(layer, context.copy.loading)}
      opacity={layerOpacity(style)}
      css={{
        alignSelf: selfAlign(layer.align ?? 'start'),
        ...boxCss({ width: side, height: side, ...style }, axis, context),
      }}
    >
      <svg aria-hidden="true" width={side} height={side} style={{ display: 'block', rotate: '-90deg' }}>
        <circle {...circle} stroke={trackColor(layer.trackColor, context)} strokeOpacity={layer.trackOpacity ?? 1} />
        <circle
          {...circle}
          ref={ring}
          stroke={fillColor(layer.fillColor, context)}
          strokeLinecap="round"
          strokeDasharray={length}
          strokeDashoffset={length}
        />
      </svg>
    </Box>
  );
}
