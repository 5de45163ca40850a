import type { WheelPickerLayer } from '../manifest/types';

const FIRST_YEAR = 1900;
/** A year wheel without `maxYear` ends this many years after the current one (manifest.md §8.6). */
const YEARS_AHEAD = 10;

const twoDigits = (n: number): string => String(n).padStart(2, '0');

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

/** Ids of a wheel's items in order: option ids, years `1998`, months `01`–`12` or days `01`–`31`. */
export function wheelOptionIds(layer: WheelPickerLayer, currentYear: number): string[] {
  if (layer.mode !== 'date') return (layer.options ?? []).map((option) => option.optionId);
  switch (layer.datePart) {
    case 'month':
      return range(1, 12).map(twoDigits);
    case 'day':
      return range(1, 31).map(twoDigits);
    default:
      return range(layer.minYear ?? FIRST_YEAR, layer.maxYear ?? currentYear + YEARS_AHEAD).map(String);
  }
}

/** The item a wheel starts on: its default when it exists, else the middle one; undefined for an empty wheel. */
export function initialWheelId(layer: WheelPickerLayer, currentYear: number): string | undefined {
  const ids = wheelOptionIds(layer, currentYear);
  const wanted = layer.mode === 'date' ? layer.defaultValue : (layer.defaultOptionId ?? layer.defaultValue);
  return wanted !== undefined && ids.includes(wanted) ? wanted : ids[Math.floor(ids.length / 2)];
}
