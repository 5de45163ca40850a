import { expect, test } from 'vitest';
import { types } from '../../../../../manifest/shape/shape.json';
import { EASING_CURVES } from '../../../../../sdk/core/src/motion/easing';
import { curveOf, easings } from './easing';

test('the curves are those of the manifest, as the renderers move by them', () => {
  expect(Object.keys(easings)).toEqual(types.Easing.enum);
  expect(easings).toEqual(EASING_CURVES);
});

test('a curve goes up from the lower left to the upper right', () => {
  expect(curveOf('linear', 10)).toBe('M0 10C0 10 10 0 10 0');
  expect(curveOf('ease-in', 100)).toBe('M0 100C42 100 100 0 100 0');
});
