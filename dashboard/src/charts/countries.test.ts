import { expect, test } from 'vitest';
import atlas from 'world-atlas/countries-110m.json';
import { countryCodes } from './countries';
import { shadeOf } from './geometry';

const english = new Intl.DisplayNames('en', { type: 'region' });

// Names that atlas and language data write in other ways.
const otherwise: Record<string, string> = {
  CD: 'Dem. Rep. Congo',
  CG: 'Congo',
  TF: 'Fr. S. Antarctic Lands',
  MM: 'Myanmar',
  PS: 'Palestine',
  TR: 'Turkey',
  US: 'United States of America',
  MK: 'Macedonia',
  EH: 'W. Sahara',
  SS: 'S. Sudan',
  GQ: 'Eq. Guinea',
};
const start = (name: string) => name.toLowerCase().replace('’', "'").split(/[ .]/)[0];

test('every country of the map has the letters that its name has', () => {
  const numbered = atlas.objects.countries.geometries.filter(({ id }) => id !== undefined);
  expect(numbered).toHaveLength(countryCodes.size);
  for (const { id, properties } of numbered) {
    const code = countryCodes.get(String(id));
    expect(code, properties.name).toBeDefined();
    if (otherwise[code!] === undefined) expect(start(english.of(code!)!), `${id} ${code}`).toBe(start(properties.name));
    else expect(otherwise[code!]).toBe(properties.name);
  }
});

test('shades grow with the value, and the least of many is still seen', () => {
  expect(shadeOf(0, 100)).toBe(0);
  expect(shadeOf(5, 0)).toBe(0);
  expect(shadeOf(1, 1_000_000)).toBeGreaterThan(0.1);
  for (let value = 1; value < 100; value++) expect(shadeOf(value + 1, 100)).toBeGreaterThan(shadeOf(value, 100));
  expect(shadeOf(100, 100)).toBe(1);
});
