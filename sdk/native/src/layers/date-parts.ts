import { compareDateTime, type DateTimeMode } from '@svc/core/internal';

/** A local date and time by its parts; months count from 1. */
export interface DateParts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

export type DatePart = keyof DateParts;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** The parts of a value of any mode; parts that the mode lacks come from `rest`. */
export function parseParts(value: string, rest: DateParts): DateParts {
  const date = /(\d{4})-(\d{2})-(\d{2})/.exec(value);
  const time = /(?:^|T)(\d{2}):(\d{2})/.exec(value);
  return {
    ...rest,
    ...(date ? { year: Number(date[1]), month: Number(date[2]), day: Number(date[3]) } : {}),
    ...(time ? { hour: Number(time[1]), minute: Number(time[2]) } : {}),
  };
}

/** The value of a mode, to the minute (runtime.md §6.2). */
export function formatParts({ year, month, day, hour, minute }: DateParts, mode: DateTimeMode): string {
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  const time = `${pad(hour)}:${pad(minute)}`;
  return mode === 'date' ? date : mode === 'time' ? time : `${date}T${time}`;
}

/** Days of a month, leap years included. */
export function daysIn(year: number, month: number): number {
  // Day 0 of the next month is the last one of this. Years below 100 would be read as 19xx by the constructor.
  const date = new Date(Date.UTC(2000, month, 0));
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

/** The parts with a day that their month has. */
export function existing(parts: DateParts): DateParts {
  return { ...parts, day: Math.min(parts.day, daysIn(parts.year, parts.month)) };
}

/** Local parts of a moment. */
export function partsOf(moment: Date): DateParts {
  return {
    year: moment.getFullYear(),
    month: moment.getMonth() + 1,
    day: moment.getDate(),
    hour: moment.getHours(),
    minute: moment.getMinutes(),
  };
}

/** The local moment that the parts name. */
export function momentOf({ year, month, day, hour, minute }: DateParts): Date {
  const moment = new Date(2000, 0, 1, hour, minute);
  moment.setFullYear(year, month - 1, day);
  return moment;
}

/** The value or, beyond the bounds, the bound. */
export function within(value: string, min: string | undefined, max: string | undefined): string {
  if (min !== undefined && compareDateTime(value, min) < 0) return min;
  return max !== undefined && compareDateTime(value, max) > 0 ? max : value;
}

/** Order in which a locale writes day, month and year. */
export function dateOrder(locale: string): ('year' | 'month' | 'day')[] {
  const isDatePart = (type: string): type is 'year' | 'month' | 'day' =>
    type === 'year' || type === 'month' || type === 'day';
  const order = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', day: 'numeric' })
    .formatToParts(new Date(2000, 0, 1))
    .map((part) => part.type as string)
    .filter(isDatePart);
  return order.length === 3 ? order : ['year', 'month', 'day'];
}

const DATE_STYLE: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'long', day: 'numeric' };
const TIME_STYLE: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };

/** A value as people of the locale write it; nothing about it depends on the device's time zone. */
export function readableDateTime(value: string, mode: DateTimeMode, locale: string): string {
  const { year, month, day, hour, minute } = parseParts(value, { year: 2000, month: 1, day: 1, hour: 0, minute: 0 });
  const moment = new Date(Date.UTC(2000, month - 1, day, hour, minute));
  moment.setUTCFullYear(year, month - 1, day);
  const style = { ...(mode === 'time' ? {} : DATE_STYLE), ...(mode === 'date' ? {} : TIME_STYLE) };
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' }).format(moment);
}

/** An hour of the day as people of the locale write it: `13` or `1 PM`. */
export function hourName(hour: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric', timeZone: 'UTC' }).format(
    new Date(Date.UTC(2000, 0, 1, hour)),
  );
}

/** Whether a locale counts hours in two halves of a day. */
export function usesDayHalves(locale: string): boolean {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true;
}
