export type DateTimeMode = 'date' | 'time' | 'datetime';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?$/;

function isDate(value: string): boolean {
  const match = DATE.exec(value);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

function isTime(value: string): boolean {
  const match = TIME.exec(value);
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3] ?? 0) <= 59;
}

/** Whether the text is a value of the mode (runtime.md §6.2): local and without a time zone. */
export function isDateTimeValue(value: string, mode: DateTimeMode): boolean {
  if (mode === 'date') return isDate(value);
  if (mode === 'time') return isTime(value);
  const [date = '', time = '', ...rest] = value.split('T');
  return rest.length === 0 && isDate(date) && isTime(time);
}

/** Seconds written out, so that values with and without them compare as text. */
function padded(value: string): string {
  return /(^|T)\d{2}:\d{2}$/.test(value) ? `${value}:00` : value;
}

/** Negative, zero or positive, for two values of one mode. */
export function compareDateTime(a: string, b: string): number {
  const [left, right] = [padded(a), padded(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
