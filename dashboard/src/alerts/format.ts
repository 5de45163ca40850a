const hour = 3_600_000;

/** From when to when an alert fired, and for how long. */
export function formatSpan(start: string, end: string | null | undefined, zone: string): string {
  const at = new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
  });
  if (!end) return `${at.format(new Date(start))}, not resolved yet`;
  return `${at.format(new Date(start))}, for ${formatLength(Date.parse(end) - Date.parse(start))}`;
}

function formatLength(milliseconds: number): string {
  const words = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`;
  if (milliseconds < 2 * hour) return words(Math.max(1, Math.round(milliseconds / 60_000)), 'minute');
  if (milliseconds < 48 * hour) return words(Math.round(milliseconds / hour), 'hour');
  return words(Math.round(milliseconds / (24 * hour)), 'day');
}
