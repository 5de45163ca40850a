import type { Layer } from '@svc/core';
import { AxisContext } from '../renderer/render-context';
import type { Axis } from '../style/box-css';
import { LayerView } from './layer-view';

/** Layers inside a box whose main axis is `axis`. */
export function Children({ layers, axis }: { layers: readonly Layer[]; axis: Axis }) {
  return (
    <AxisContext.Provider value={axis}>
      {layers.map((layer) => (
        <LayerView key={layer.id} layer={layer} />
      ))}
    </AxisContext.Provider>
  );
}
