import { expect, test } from 'vitest';
import { devices } from './devices';
import { isScreenSized } from './screenshot';

const phone = devices[0]!.size;

test.each([
  ['an iPhone', 1179, 2556],
  ['an iPhone with a button', 750, 1334],
  ['an Android phone', 1080, 2400],
  ['a phone as its browser counts', 390, 844],
  ['a phone of 22:9', 1080, 2640],
])('what is as large as the screen of %s is a screenshot', (_, width, height) => {
  expect(isScreenSized({ width, height }, phone)).toBe(true);
});

test.each([
  ['a photo', 3024, 4032],
  ['a photo in the older format', 2000, 3000],
  ['a picture that is wider than high', 2556, 1179],
  ['a square', 1080, 1080],
  ['a small icon that is high', 40, 80],
  ['a strip', 400, 1400],
])('%s is none', (_, width, height) => {
  expect(isScreenSized({ width, height }, phone)).toBe(false);
});

test('what has the shape of the device that is drawn for is one, at any density', () => {
  for (const { size } of devices)
    for (const times of [1, 1.5, 2, 3])
      expect(
        isScreenSized({ width: Math.round(size.width * times), height: Math.round(size.height * times) }, size),
      ).toBe(true);
});
