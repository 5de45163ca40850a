import type { WheelItemStyle, WheelPickerLayer } from '@svc/core';
import { resolveColor, wheelOptionIds } from '@svc/core/internal';
import { inputLabel } from '../renderer/labels';
import { useRender } from '../renderer/render-context';
import { wheelItemLabel } from './wheel-label';

const ITEM_HEIGHT = 44;
const VISIBLE_ITEMS = 5;
/** Color of the band behind the chosen item (manifest.md §8.6). */
export const WHEEL_BAND = { light: 'rgba(228,228,231,.85)', dark: 'rgba(63,63,70,.55)' };
const ITEM: WheelItemStyle = { fontSize: 18, fontWeight: 400 };
const SELECTED_ITEM: WheelItemStyle = { fontSize: 20, fontWeight: 600 };

export interface Wheel {
  /** Height of an item, px. */
  itemHeight: number;
  /** How many items show at once. */
  visible: number;
  items: { id: string; label: string }[];
  /** Position of the chosen item. */
  index: number;
  /** Accessible name. */
  label: string;
  /** Color of the band behind the chosen item. */
  bandColor: string;
  itemStyle: WheelItemStyle;
  selectedItemStyle: WheelItemStyle;
  /** Takes the item at a position; positions beyond the ends count as the ends. */
  choose(index: number): void;
}

/** A wheel picker without its view (manifest.md §8.6). */
export function useWheel(layer: WheelPickerLayer): Wheel {
  const context = useRender();
  const { draft, interactive, palette, theme, screen, setInput } = context;
  const ids = wheelOptionIds(layer, new Date().getFullYear());
  const value = draft.input?.kind === 'wheel' ? draft.input.value : ids[Math.floor(ids.length / 2)];
  return {
    itemHeight: layer.itemHeight ?? ITEM_HEIGHT,
    visible: layer.visibleItemCount ?? VISIBLE_ITEMS,
    items: ids.map((id) => ({ id, label: wheelItemLabel(layer, id, context) })),
    index: Math.max(0, value === undefined ? 0 : ids.indexOf(value)),
    label: inputLabel(screen, layer, context),
    bandColor: resolveColor(layer.selectionBackgroundColor, palette, theme) ?? WHEEL_BAND[palette],
    itemStyle: { ...ITEM, ...layer.itemStyle },
    selectedItemStyle: { ...SELECTED_ITEM, ...layer.selectedItemStyle },
    choose: (index) => {
      const chosen = ids[Math.min(Math.max(index, 0), ids.length - 1)];
      if (interactive && chosen !== undefined && chosen !== value) setInput({ kind: 'wheel', value: chosen });
    },
  };
}
