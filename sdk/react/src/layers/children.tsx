import type { Layer } from '@svc/core';
import { type Axis, AxisContext, useRender } from '@svc/react-core';
import { LayerView } from './layer-view';

/** Layers inside a box whose main axis is `axis`. */
export function Children({ layers, axis }: { layers: readonly Layer[]; axis: Axis }) {
  const { View = LayerView } = useRender();
  return (
    <AxisContext.Provider value={axis}>
      {layers.map((layer) => (
        <View key={layer.id} layer={layer} />
      ))}
    </AxisContext.Provider>
  );
}
