import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import styles from './Edit.module.css';

type Props = {
  label: string;
  /** Which way it is dragged. */
  axis: 'x' | 'y';
  value: number;
  min: number;
  max: number;
  /** What screen readers count in. */
  unit: string;
  /** How much of the value a pixel is. */
  scale?: () => number;
  change: (value: number) => void;
};

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

/** An edge between two parts of the page that is dragged, or moved by arrow keys (the WAI-ARIA window splitter). */
export function Splitter({ label, axis, value, min, max, unit, scale = () => 1, change }: Props) {
  const start = useRef<{ at: number; value: number; scale: number }>(undefined);
  const put = (to: number) => change(Math.min(max, Math.max(min, to)));
  const at = (event: PointerEvent) => (axis === 'x' ? event.clientX : event.clientY);
  const end = () => {
    start.current = undefined;
  };
  const press = (event: KeyboardEvent) => {
    const by = steps[event.key] ?? 0;
    const along = /Left|Right/.test(event.key) === (axis === 'x');
    if (event.key === 'Home') put(min);
    else if (event.key === 'End') put(max);
    else if (by !== 0 && along) put(value + by * (event.shiftKey ? 50 : 10) * scale());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule can't be moved
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(value)}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuetext={`${Math.round(value)} ${unit}`}
      className={styles.splitter}
      data-axis={axis}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { at: at(event), value, scale: scale() };
      }}
      onPointerMove={(event) => {
        const from = start.current;
        if (from) put(from.value + (at(event) - from.at) * from.scale);
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={press}
    />
  );
}
