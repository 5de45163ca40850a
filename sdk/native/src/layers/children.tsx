import type { Align, Layer } from '@svc/core';
import type { Axis } from '@svc/react-core';
import { useMemo } from 'react';
import { SurroundContext } from '../renderer/surround-context';
import { LayerView } from './layer-view';

interface ChildrenProps {
  layers: readonly Layer[];
  /** Main axis of the box around them. */
  axis: Axis;
  /** Where the box puts them across that axis. Default: it stretches them. */
  align?: Align | undefined;
  /** Whether the box is as wide as they are. */
  hugs?: boolean;
}

/** Layers inside a box. */
export function Children({ layers, axis, align = 'stretch', hugs = false }: ChildrenProps) {
  const surround = useMemo(() => ({ axis, align, hugs }), [axis, align, hugs]);
  return (
    <SurroundContext.Provider value={surround}>
      {layers.map((layer) => (
        <LayerView key={layer.id} layer={layer} />
      ))}
    </SurroundContext.Provider>
  );
}
