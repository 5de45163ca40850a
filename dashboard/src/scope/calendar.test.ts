import { expect, test } from 'vitest';
import { addDays, addMonths, dayOf, isDay, startOfDay } from './calendar';

test.each([
  ['UTC', '2026-11-23', '2026-11-23T00:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'], // summer time begins
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'], // midnight was skipped
  ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z'], // midnight was skipped
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'], // midnight comes twice: the first
  ['Pacific/Kiritimati', '2026-06-01', '2026-05-31T10:00:00.000Z'],
])('in %s the day %s begins at %s', (zone, day, start) => {
  expect(startOfDay(zone, day).toISOString()).toBe(start);
});

test('every day of two years begins with itself and after the day before', () => {
  for (const zone of [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'America/Santiago',
  ]) {
    let day = '2025-01-01';
    for (let i = 0; i < 730; i++, day = addDays(day, 1)) {
      const start = startOfDay(zone, day);
      expect(dayOf(zone, start), `${zone} ${day}`).toBe(day);
      expect(dayOf(zone, new Date(start.getTime() - 1000)), `${zone} ${day}`).toBe(addDays(day, -1));
    }
  }
});

test('months end where they end', () => {
  expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(addMonths('2026-01-15', -12)).toBe('2025-01-15');
  expect(addMonths('2024-02-29', 12)).toBe('2025-02-28');
});

test('a day that the calendar lacks is none', () => {
  expect(['2026-02-29', '2026-13-01', '26-1-1', '', '2024-02-29'].map(isDay)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});
