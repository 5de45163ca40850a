import type { LoaderLayer } from '@svc/core';
import { multiplyAlpha } from '@svc/core/internal';
import { fillColor, trackColor, useAxis, useLayerStyle, useLoader, useRender } from '@svc/react-core';
import { useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { selfAlign } from '../style/flex-css';
import { useStyleProps } from '../style/server-sheet';
import { BAR_HEIGHT } from './progress';

const CIRCLE_SIZE = 48;
const STROKE_WIDTH = 4;

export function LoaderView({ layer }: { layer: LoaderLayer }) {
  return layer.variant === 'circular' ? <CircularLoader layer={layer} /> : <LinearLoader layer={layer} />;
}

function progressProps(layer: LoaderLayer, label: string) {
  return { role: 'progressbar', 'aria-label': layer.name ?? label, 'aria-valuemin': 0, 'aria-valuemax': 100 } as const;
}

function LinearLoader({ layer }: { layer: LoaderLayer }) {
  const styleProps = useStyleProps();
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
        {...styleProps({
          width: 0,
          height: '100%',
          borderRadius: 'inherit',
          backgroundColor: fillColor(layer.fillColor, context),
        })}
      />
    </Box>
  );
}

function CircularLoader({ layer }: { layer: LoaderLayer }) {
  const styleProps = useStyleProps();
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
      <svg aria-hidden="true" width={side} height={side} {...styleProps({ display: 'block', rotate: '-90deg' })}>
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
