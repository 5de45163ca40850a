import { expect, test } from 'vitest';
import { gradientCss, readBrand, styleOf, withEntry } from './brand';

test.each([
  ['Inter-Regular.woff2', 400, false],
  ['Inter-SemiBoldItalic.woff2', 600, true],
  ['Inter-Bold.ttf', 700, false],
  ['Inter-ExtraLight.otf', 200, false],
  ['Inter-Light.otf', 300, false],
  ['Black Ops.woff', 900, false],
])('the style of %s', (name, weight, italic) => {
  expect(styleOf(name)).toEqual({ weight, italic });
});

test('gradients as CSS', () => {
  const stops = [
    { offset: 0, color: '#FF0000' },
    { offset: 0.505, color: '#00FF00' },
  ];
  expect(gradientCss({ name: 'a', type: 'linear', angle: 45, stops })).toBe(
    'linear-gradient(45deg, #FF0000 0%, #00FF00 51%)',
  );
  expect(gradientCss({ name: 'a', type: 'radial', stops })).toBe('radial-gradient(#FF0000 0%, #00FF00 51%)');
});

test('what is no branding reads as none', () => {
  const none = { colorPresets: [], gradientPresets: [], fontFamilies: [] };
  expect(readBrand(null)).toEqual(none);
  expect(readBrand({ colorPresets: 7 })).toEqual(none);
  expect(readBrand({ colorPresets: [{ name: 'Ink', value: '#000000', id: 'i' }] })).toEqual({
    ...none,
    colorPresets: [{ name: 'Ink', value: '#000000', id: 'i' }],
  });
});

test('an entry of a list is changed or removed', () => {
  expect(withEntry(['a', 'b', 'c'], 1, 'z')).toEqual(['a', 'z', 'c']);
  expect(withEntry(['a', 'b', 'c'], 1, undefined)).toEqual(['a', 'c']);
});
