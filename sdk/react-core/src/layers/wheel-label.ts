import { localize, type WheelPickerLayer } from '@svc/core';

/** Far from the middle of any month, so that no time zone moves the name to its neighbour. */
const MID_MONTH = 15;

/** What an item says: option labels, names of months, numbers as they are. */
export function wheelItemLabel(layer: WheelPickerLayer, id: string, locale: string): string {
  if (layer.mode !== 'date') {
    const option = layer.options?.find((candidate) => candidate.optionId === id);
    return option ? localize(option.label, locale) : id;
  }
  if (layer.datePart !== 'month') return layer.datePart === 'day' ? String(Number(id)) : id;
  const date = new Date(Date.UTC(2024, Number(id) - 1, MID_MONTH));
  return new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(date);
}
