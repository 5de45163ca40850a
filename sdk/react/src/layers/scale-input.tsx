import type { FieldTextStyle, ScaleInputLayer } from '@svc/core';
import { resolveColor } from '@svc/core/internal';
import { fillColor, type RenderContext, trackColor, useLayerStyle, useRender, useScale } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { useStyleProps } from '../style/server-sheet';
import { typographyCss } from '../style/text-css';
import { InputColumn } from './input-column';

function wordsCss(style: FieldTextStyle, context: RenderContext): CSSProperties {
  return { ...typographyCss(style, context), ...(style.opacity === undefined ? {} : { opacity: style.opacity }) };
}

export function ScaleInputView({ layer }: { layer: ScaleInputLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const { interactive, palette, theme, direction } = context;
  const scale = useScale(layer);
  const percent = scale.share * 100;
  const fill = fillColor(layer.fillColor, context);
  const track = trackColor(layer.trackColor, context);
  const labelStyle = wordsCss(scale.labelStyle, context);
  const range = {
    '--svc-track': `${scale.trackHeight}px`,
    '--svc-thumb': `${scale.thumbSize}px`,
    '--svc-thumb-color': resolveColor(layer.thumbColor, palette, theme) ?? fill,
    '--svc-range': `linear-gradient(to ${direction === 'rtl' ? 'left' : 'right'}, ${fill} ${percent}%, ${track} ${percent}%)`,
  } as CSSProperties;
  return (
    <InputColumn layer={layer} style={style} gap={6}>
      {scale.showsValue && (
        <output {...styleProps(wordsCss(scale.valueStyle, context), 'svc-text')} aria-hidden="true">
          {scale.value}
        </output>
      )}
      <input
        type="range"
        min={scale.min}
        max={scale.max}
        step={scale.step}
        value={scale.value}
        disabled={!interactive}
        aria-label={scale.label}
        onChange={(event) => scale.change(event.target.valueAsNumber)}
        {...styleProps(range, 'svc-range')}
      />
      {scale.showsLabels && (
        <div {...styleProps({ display: 'flex', justifyContent: 'space-between', gap: 8 })}>
          <span {...styleProps(labelStyle)}>{scale.minLabel}</span>
          <span {...styleProps(labelStyle)}>{scale.maxLabel}</span>
        </div>
      )}
    </InputColumn>
  );
}
