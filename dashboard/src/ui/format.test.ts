import { expect, test } from 'vitest';
import {
  changeOf,
  countOf,
  formatAgo,
  formatAligned,
  formatBucket,
  formatChange,
  formatExact,
  formatSeconds,
  formatShort,
} from './format';

test.each([
  [0, 'count', '0', '0'],
  [9999, 'count', '9,999', '9,999'],
  [12_440, 'count', '12.4K', '12,440'],
  [1234.5, 'money', '$1,234.50', '$1,234.50'],
  [2_500_000, 'money', '$2.5M', '$2,500,000.00'],
  [0.4567, 'share', '45.7%', '45.67%'],
  [null, 'share', '–', '–'],
  [187, 'seconds', '3m 07s', '187 s'],
] as const)('%s as %s is %s, exactly %s', (value, kind, short, exact) => {
  expect(formatShort(value, kind)).toBe(short);
  expect(formatExact(value, kind)).toBe(exact);
});

test('seconds keep two units, and less than one its milliseconds', () => {
  expect([0, 0.0001, 0.3204, 0.9996, 59.6, 61, 3600, 7500, 90_000].map(formatSeconds)).toEqual([
    '0s',
    '1\u00a0ms',
    '320\u00a0ms',
    '1s',
    '1m 00s',
    '1m 01s',
    '1h 00m',
    '2h 05m',
    '1d 1h',
  ]);
});

test('a change needs something to compare with', () => {
  expect(changeOf(110, 100)).toBeCloseTo(0.1);
  expect(changeOf(0, 0)).toBe(0);
  expect(changeOf(5, 0)).toBeNull();
  expect(changeOf(null, 4)).toBeNull();
  expect(formatChange(-0.0349)).toBe('3.5%');
  expect(formatChange(1.234)).toBe('123%');
});

test('a bucket is named in its zone', () => {
  expect(formatBucket('2026-11-22T23:00:00Z', 'Europe/Berlin', 'DAY')).toBe('Nov 23');
  expect(formatBucket('2026-11-01T00:00:00Z', 'UTC', 'MONTH', true)).toBe('November 2026');
});

test('ago counts whole units', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  expect(
    ['2026-11-23T11:59:30Z', '2026-11-23T11:00:01Z', '2026-11-20T12:00:00Z'].map((at) => formatAgo(at, now)),
  ).toEqual(['now', '59m ago', '3d ago']);
});

test('one of something is not several', () => {
  expect([0, 1, 2, 1200].map((count) => countOf(count, 'view'))).toEqual([
    '0 views',
    '1 view',
    '2 views',
    '1,200 views',
  ]);
});

test.each([
  [0.66, 'share', '66.0%'],
  [0.6534, 'share', '65.3%'],
  [2.1, 'number', '2.10'],
  [1, 'share', '100.0%'],
  [null, 'share', '–'],
  [12, 'count', '12'],
] as const)('in a column %s as a %s has as many digits as its neighbours: %s', (value, kind, text) => {
  expect(formatAligned(value, kind)).toBe(text);
});
