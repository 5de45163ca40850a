import type { FieldTextStyle, LocalizedText, ScaleInputLayer } from '@svc/core';
import { localize, snapToStep } from '@svc/core/internal';
import { inputLabel } from '../renderer/labels';
import { useRender } from '../renderer/render-context';

const TRACK_HEIGHT = 4;
const THUMB_SIZE = 16;
const LABEL: FieldTextStyle = { fontSize: 11, opacity: 0.75, color: { light: '#52525b', dark: '#a1a1aa' } };
const VALUE: FieldTextStyle = { fontSize: 14, fontWeight: 600, align: 'center' };

export interface Scale {
  value: number;
  min: number;
  max: number;
  step: number;
  /** How far along the track the value is, 0 to 1. */
  share: number;
  /** Accessible name. */
  label: string;
  minLabel: string;
  maxLabel: string;
  showsLabels: boolean;
  showsValue: boolean;
  labelStyle: FieldTextStyle;
  valueStyle: FieldTextStyle;
  /** px */
  trackHeight: number;
  /** px */
  thumbSize: number;
  /** Takes a value; it is put on the nearest step inside the range. */
  change(value: number): void;
}

/** A scale without its view (manifest.md §8.5). */
export function useScale(layer: ScaleInputLayer): Scale {
  const context = useRender();
  const { draft, interactive, screen, setInput } = context;
  const { min, max, step = 1 } = layer;
  const value = draft.input?.kind === 'scale' ? draft.input.value : snapToStep(layer.defaultValue ?? min, layer);
  const words = (text: LocalizedText | undefined, number: number) => (text ? localize(text, context) : String(number));
  return {
    value,
    min,
    max,
    step,
    share: max > min ? (value - min) / (max - min) : 0,
    label: inputLabel(screen, layer, context),
    minLabel: words(layer.minLabel, min),
    maxLabel: words(layer.maxLabel, max),
    showsLabels: layer.showLabels !== false,
    showsValue: layer.showValue !== false,
    labelStyle: { ...LABEL, ...layer.labelStyle },
    valueStyle: { ...VALUE, ...layer.valueStyle },
    trackHeight: layer.trackHeight ?? TRACK_HEIGHT,
    thumbSize: layer.thumbSize ?? THUMB_SIZE,
    change: (wanted) => {
      const next = snapToStep(wanted, layer);
      if (interactive && next !== value) setInput({ kind: 'scale', value: next });
    },
  };
}
