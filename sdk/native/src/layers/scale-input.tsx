import type { ScaleInputLayer } from '@svc/core';
import { resolveColor } from '@svc/core/internal';
import { fillColor, trackColor, useLayerStyle, useRender, useScale } from '@svc/react-core';
import { StyleSheet, View } from 'react-native';
import { Words } from '../renderer/words';
import { InputColumn } from './input-column';
import { Slider } from './slider';

const GAP = 6;

export function ScaleInputView({ layer }: { layer: ScaleInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const scale = useScale(layer);
  const { palette, theme } = context;
  const fill = fillColor(layer.fillColor, context);
  return (
    <InputColumn layer={layer} style={style} gap={GAP}>
      {scale.showsValue ? <Words text={String(scale.value)} style={scale.valueStyle} /> : null}
      <Slider
        value={scale.value}
        min={scale.min}
        max={scale.max}
        step={scale.step}
        share={scale.share}
        label={scale.label}
        trackHeight={scale.trackHeight}
        thumbSize={scale.thumbSize}
        trackColor={trackColor(layer.trackColor, context)}
        fillColor={fill}
        thumbColor={resolveColor(layer.thumbColor, palette, theme) ?? fill}
        onChange={scale.change}
      />
      {scale.showsLabels ? (
        <View style={styles.labels}>
          <Words text={scale.minLabel} style={scale.labelStyle} />
          <Words text={scale.maxLabel} style={scale.labelStyle} />
        </View>
      ) : null}
    </InputColumn>
  );
}

const styles = StyleSheet.create({ labels: { flexDirection: 'row', justifyContent: 'space-between', gap: 8 } });
