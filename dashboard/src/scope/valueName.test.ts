import { expect, test } from 'vitest';
import { placeOf, valueName } from './valueName';

test('codes are words, in the form of addresses and of the schema', () => {
  expect(valueName('platform', 'ios')).toBe('iOS');
  expect(valueName('PLATFORM', 'web')).toBe('Web');
  expect(valueName('DEVICE', 'desktop')).toBe('Desktop');
  expect(valueName('country', 'DE')).toBe('Germany');
  expect(valueName('ACQUISITION_CHANNEL', '')).toBe('Direct / none');
  expect(valueName('campaign', '')).toBe('(none)');
});

test('what an app or a device says of itself stays as it is', () => {
  expect(valueName('device', 'iPhone15,2')).toBe('iPhone15,2');
  expect(valueName('campaign', 'web')).toBe('web');
});

test('a place has what is known of it', () => {
  expect(placeOf({ city: '', country: 'DE', platform: 'android', device: 'tablet' })).toEqual([
    'Germany',
    'Android',
    'Tablet',
  ]);
  expect(placeOf({})).toEqual([]);
});
