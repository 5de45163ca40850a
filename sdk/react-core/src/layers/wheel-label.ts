import type { WheelPickerLayer } from '@svc/core';
import { localize, type TextLocale } from '@svc/core/internal';

/** Far from the middle of any month, so that no time zone moves the name to its neighbour. */
const MID_MONTH = 15;

/** Name of a month, 1 to 12. */
export function monthName(month: number, locale: string): string {
  const date = new Date(Date.UTC(2024, month - 1, MID_MONTH));
  return new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(date);
}

/** What an item says: option labels, names of months, numbers as they are. */
export function wheelItemLabel(layer: WheelPickerLayer, id: string, locale: TextLocale): string {
  if (layer.mode !== 'date') {
    const option = layer.options?.find((candidate) => candidate.optionId === id);
    return option ? localize(option.label, locale) : id;
  }
  if (layer.datePart === 'month') return monthName(Number(id), locale.locale);
  return layer.datePart === 'day' ? String(Number(id)) : id;
}
