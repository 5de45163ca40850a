import { expect, test } from 'vitest';
import { firstVariants, lacks, shareOf, toInput, type Variant, withAnother } from './variants';

const whole = (variants: readonly Variant[]) => variants.map((variant) => ({ ...variant, versionId: 'v' }));

test('every variant that is added has a key of its own, also after others went', () => {
  let variants: Variant[] = [...firstVariants];
  for (let i = 0; i < 5; i++) variants = withAnother(variants);
  variants.splice(3, 1);
  variants = withAnother(withAnother(variants));
  expect(new Set(variants.map(({ key }) => key)).size).toBe(variants.length);
  for (const { key } of variants) expect(key).toMatch(/^[a-z0-9_-]{1,64}$/);
});

test('shares are the weights of all', () => {
  const variants = [1, 2, 5].map((weight, i) => ({ key: `${i}`, name: '', weight, versionId: null }));
  expect(variants.map((variant) => shareOf(variant, variants))).toEqual([0.125, 0.25, 0.625]);
  expect(shareOf({ ...variants[0]!, weight: 0 }, [])).toBe(0);
});

test('what a variant lacks is said', () => {
  expect(lacks(firstVariants)).toBe('Every variant needs a version.');
  expect(lacks(whole(firstVariants))).toBeUndefined();
  expect(lacks(whole(firstVariants).map((variant) => ({ ...variant, weight: 0 })))).toBe(
    'Weights are whole numbers of at least 1.',
  );
  expect(lacks(whole(firstVariants).map((variant) => ({ ...variant, weight: 1.5 })))).toBe(
    'Weights are whole numbers of at least 1.',
  );
  expect(lacks(whole(firstVariants).map((variant) => ({ ...variant, name: ' ' })))).toBe('Every variant needs a name.');
  expect(toInput(whole(firstVariants))[1]).toEqual({ key: 'variant', name: 'Variant', weight: 1, versionId: 'v' });
});
