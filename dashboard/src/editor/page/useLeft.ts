import { type CSSProperties, useCallback, useState } from 'react';
import { leftColumn } from '../../app/session/storage';

/** How wide the left column can be, in pixels. */
export const widths = { min: 200, max: 480 };

/** The share of it that screens can take, in percent. */
export const shares = { min: 15, max: 75 };

export type Column = { width: number; share: number; folded: boolean };

/** Reads the column as it was left in this browser. */
export function readColumn(text: string | null): Column {
  const [width, share, folded] = (text ?? '').split(' ');
  const within = (value: string | undefined, { min, max }: typeof widths, otherwise: number) =>
    value && Number.isFinite(Number(value)) ? Math.min(max, Math.max(min, Math.round(Number(value)))) : otherwise;
  return { width: within(width, widths, 248), share: within(share, shares, 40), folded: folded === 'folded' };
}

export const writeColumn = ({ width, share, folded }: Column) =>
  `${Math.round(width)} ${Math.round(share)} ${folded ? 'folded' : 'open'}`;

/** The left column as a person wants it: how wide, how much of it is screens, and whether it is there. */
export function useLeft() {
  const [column, setColumn] = useState(() => readColumn(leftColumn.read()));
  const change = useCallback((to: (was: Column) => Partial<Column>) => {
    setColumn((was) => {
      const is = { ...was, ...to(was) };
      leftColumn.write(writeColumn(is));
      return is;
    });
  }, []);
  const { width, share, folded } = column;
  return {
    ...column,
    setWidth: useCallback((width: number) => change(() => ({ width })), [change]),
    setShare: useCallback((share: number) => change(() => ({ share })), [change]),
    fold: useCallback(() => change(({ folded }) => ({ folded: !folded })), [change]),
    style: { '--left': folded ? '40px' : `${width}px`, '--share': `${share}%` } as CSSProperties,
  };
}
