import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Share } from './Curve';
import { averageOf, type Cohort, coldest, reached, warmest, warmestOf, warmthOf } from './heat';

const cell = (offset: number, returned: number, eligible: number): Share => ({
  offset,
  returned,
  eligible,
  rate: eligible > 0 ? returned / eligible : null,
});

const rows: Cohort[] = [
  { name: 'Mon', size: 100, cells: [cell(0, 100, 100), cell(1, 30, 100), cell(2, 10, 40), cell(3, 0, 0)] },
  { name: 'Tue', size: 50, cells: [cell(0, 50, 50), cell(1, 10, 50), cell(2, 0, 0)] },
  { name: 'Wed', size: 80, cells: [cell(0, 80, 80), cell(1, 0, 0)] },
];

test('the first column, in which everybody is, and those that nobody has reached are left out', () => {
  expect(reached(rows).map(({ cells }) => cells.map(({ offset }) => offset))).toEqual([[1, 2], [1, 2], [1]]);
  expect(reached([])).toEqual([]);
  expect(reached([{ name: 'a', size: 0, cells: [cell(0, 0, 0), cell(1, 0, 0)] }])[0]!.cells).toEqual([]);
});

test('the average is of everybody whose time is over, not of the cohorts’ shares', () => {
  const { size, cells } = averageOf(reached(rows));
  expect(size).toBe(230);
  expect(cells).toEqual([
    { offset: 1, returned: 40, eligible: 150, rate: 40 / 150 },
    { offset: 2, returned: 10, eligible: 40, rate: 0.25 },
  ]);
  // One who came back before the time is over is in no share.
  const early = { offset: 1, returned: 6, eligible: 10, rate: 0.5 };
  expect(averageOf([{ name: 'a', size: 20, cells: [early] }]).cells[0]!.rate).toBe(0.5);
});

test('a cohort of three does not pale the others', () => {
  const tiny = { name: 'Sun', size: 3, cells: [cell(0, 3, 3), cell(1, 3, 3)] };
  expect(warmestOf(reached([...rows, tiny]))).toBeCloseTo(0.3);
  expect(warmthOf(1, 0.3)).toBe(warmest);
  expect(warmthOf(0, 0.3)).toBe(coldest);
});

/** The tokens of a theme that are written as #rrggbb. */
function tokensOf(theme: 'light' | 'dark'): Record<string, number[]> {
  const css = readFileSync(new URL('../app/theme/tokens.css', import.meta.url), 'utf8');
  const block = css.slice(css.indexOf(`[data-mantine-color-scheme="${theme}"]`));
  const found = [...block.slice(0, block.indexOf('}')).matchAll(/--([\w-]+): #([0-9a-f]{6})/g)];
  return Object.fromEntries(
    found.map(([, name, hex]) => [name, [0, 2, 4].map((i) => parseInt(hex!.slice(i, i + 2), 16))]),
  );
}

const luminance = (color: number[]) =>
  color
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i]!, 0);

test.each(['light', 'dark'] as const)('words are readable on every warmth in %s', (theme) => {
  const { ink, accent, raised } = tokensOf(theme);
  for (let warmth = coldest; warmth <= warmest; warmth++) {
    const mixed = accent!.map((value, i) => (value * warmth + raised![i]! * (100 - warmth)) / 100);
    const [bright, dark] = [luminance(ink!), luminance(mixed)].sort((a, b) => b - a);
    expect((bright! + 0.05) / (dark! + 0.05)).toBeGreaterThan(4.5);
  }
});
