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
}

/** Layers inside a box. */
export function Children({ layers, axis, align = 'stretch' }: ChildrenProps) {
  const surround = useMemo(() => ({ axis, align }), [axis, align]);
  return (
    <SurroundContext.Provider value={surround}>
      {layers.map((layer) => (
        <LayerView key={layer.id} layer={layer} />
      ))}
    </SurroundContext.Provider>
  );
}
