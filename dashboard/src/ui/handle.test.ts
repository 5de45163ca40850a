import { expect, test } from 'vitest';
import { colorOf, flagOf, handleOf, initialsOf, isMachineId } from './handle';

test('a handle is always the same, short, and ends as the id does', () => {
  const id = '01a220a6-4caa-73bc-b39c-4e95893c747a';
  expect(handleOf(id)).toBe(handleOf(id));
  expect(handleOf(id)).toMatch(/^[A-Z]\w+ [A-Z]\w+ 747a$/);
});

test('people who came one after the other are told apart', () => {
  const ids = Array.from({ length: 2000 }, (_, i) => `01a220a6-4caa-73bc-b39c-${String(i * 7919).padStart(12, '0')}`);
  expect(new Set(ids.map(handleOf)).size).toBe(ids.length);
  const words = new Set(ids.map((id) => handleOf(id).split(' ').slice(0, 2).join(' ')));
  expect(words.size).toBeGreaterThan(1000);
  for (let color = 0; color < 10; color++)
    expect(ids.filter((id) => colorOf(id, 10) === color).length).toBeGreaterThan(100);
});

test.each([
  ['', false],
  ['user-111872', false],
  ['ada@tendril.example', false],
  ['01a220a6-4caa-73bc-b39c-4e95893c747a', true],
  ['01A220A64CAA73BCB39C4E95893C747A', true],
])('whether “%s” is for machines: %s', (id, machine) => {
  expect(isMachineId(id)).toBe(machine);
});

test.each([
  ['Fern Thistle', 'FT'],
  ['fern.thistle504@tendril.example', 'FT'],
  ['Ægir', 'Æ'],
  ['王 小明', '王小'],
  ['user-111872', 'U'],
  ['123', ''],
  ['', ''],
])('the initials of “%s” are “%s”', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test.each([
  ['DE', '🇩🇪'],
  ['', ''],
  ['Deutschland', ''],
  ['de', ''],
])('the flag of “%s” is “%s”', (country, flag) => {
  expect(flagOf(country)).toBe(flag);
});

test('an id of nothing but marks has a handle too', () => {
  expect(handleOf('---')).toMatch(/^[A-Z]\w+ [A-Z]\w+$/);
});
