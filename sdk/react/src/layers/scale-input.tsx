import {
  type FieldTextStyle,
  type LocalizedText,
  localize,
  resolveColor,
  type ScaleInputLayer,
  snapToStep,
} from '@svc/core';
import { fillColor, inputLabel, type RenderContext, trackColor, useLayerStyle, useRender } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { typographyCss } from '../style/text-css';
import { InputColumn } from './input-column';

const TRACK_HEIGHT = 4;
const THUMB_SIZE = 16;
const LABEL: FieldTextStyle = { fontSize: 11, opacity: 0.75, color: { light: '#52525b', dark: '#a1a1aa' } };
const VALUE: FieldTextStyle = { fontSize: 14, fontWeight: 600, align: 'center' };

function wordsCss(base: FieldTextStyle, style: FieldTextStyle | undefined, context: RenderContext): CSSProperties {
  const merged = { ...base, ...style };
  return { ...typographyCss(merged, context), ...(merged.opacity === undefined ? {} : { opacity: merged.opacity }) };
}

export function ScaleInputView({ layer }: { layer: ScaleInputLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const { draft, interactive, locale, palette, theme, direction } = context;
  const { min, max, step = 1 } = layer;
  const value = draft.input?.kind === 'scale' ? draft.input.value : snapToStep(layer.defaultValue ?? min, layer);
  const share = max > min ? ((value - min) / (max - min)) * 100 : 0;
  const fill = fillColor(layer.fillColor, context);
  const track = trackColor(layer.trackColor, context);
  const label = (text: LocalizedText | undefined, number: number) => (text ? localize(text, locale) : String(number));
  const labelStyle = wordsCss(LABEL, layer.labelStyle, context);
  const range = {
    '--svc-track': `${layer.trackHeight ?? TRACK_HEIGHT}px`,
    '--svc-thumb': `${layer.thumbSize ?? THUMB_SIZE}px`,
    '--svc-thumb-color': resolveColor(layer.thumbColor, palette, theme) ?? fill,
    '--svc-range': `linear-gradient(to ${direction === 'rtl' ? 'left' : 'right'}, ${fill} ${share}%, ${track} ${share}%)`,
  } as CSSProperties;
  return (
    <InputColumn layer={layer} style={style} gap={6}>
      {layer.showValue !== false && (
        <output className="svc-text" style={wordsCss(VALUE, layer.valueStyle, context)} aria-hidden="true">
          {value}
        </output>
      )}
      <input
        type="range"
        className="svc-range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={!interactive}
        aria-label={inputLabel(context.screen, layer, locale)}
        onChange={(event) => context.setInput({ kind: 'scale', value: snapToStep(event.target.valueAsNumber, layer) })}
        style={range}
      />
      {layer.showLabels !== false && (
        <div style={{ display: 'flex', justifyContent: 'space-between', gap: 8 }}>
          <span style={labelStyle}>{label(layer.minLabel, min)}</span>
          <span style={labelStyle}>{label(layer.maxLabel, max)}</span>
        </div>
      )}
    </InputColumn>
  );
}
