import { expect, test } from 'vitest';
import { againAfter, explain, problemsAt, Refused } from './problems';

const problem = (code: string, retryAfter?: number) => ({ code, message: code, ...(retryAfter && { retryAfter }) });

test('what a server cannot answer now is asked again, what it refuses is not', () => {
  expect(againAfter([])).toBeUndefined();
  expect(againAfter([problem('forbidden'), problem('rate_limited', 60)])).toBeUndefined();
  expect(againAfter([problem('unavailable')])).toBe(5_000);
  expect(againAfter([problem('forbidden'), problem('product_analytics_unavailable', 20)])).toBe(20_000);
});

test('a part of an answer has the problems of what is below it, and of what it is part of', () => {
  const at = (path: string) => ({ ...problem('unavailable'), path });
  const all = [
    at('app'),
    at('app.reports'),
    at('app.reports.series'),
    at('app.reports.series.0.value'),
    at('app.report'),
  ];
  expect(problemsAt(all, 'app.reports.series').map(({ path }) => path)).toEqual([
    'app',
    'app.reports',
    'app.reports.series',
    'app.reports.series.0.value',
  ]);
  expect(problemsAt([problem('internal')], 'app')).toEqual([]);
});

test('the pause doubles with each time in a row up to a minute, and is longer where the server says so', () => {
  const pauses = (jitter: number) =>
    [1, 2, 3, 4, 5, 50].map((inRow) => againAfter([problem('unavailable')], inRow, jitter));
  expect(pauses(0)).toEqual([5_000, 10_000, 20_000, 40_000, 40_000, 40_000]);
  expect(pauses(1)).toEqual([7_500, 15_000, 30_000, 60_000, 60_000, 60_000]);
  expect(againAfter([problem('unavailable', 120)], 5)).toBe(120_000);
});

test('what the server refuses is said as a sentence, and names stay as they are', () => {
  const said = (message: string) => explain(new Refused([{ code: 'conflict', message }])).detail;
  expect(said('confirm the address first')).toBe('Confirm the address first.');
  expect(said('icon.svg is no picture')).toBe('icon.svg is no picture.');
  expect(said('file: is no ZIP file')).toBe('file: is no ZIP file.');
  expect(said('Try it again.')).toBe('Try it again.');
});
