import { expect, test } from 'vitest';
import { type Arm, firstArms, lacks, shareOf, toInput, withAnother } from './arms';

const whole = (arms: readonly Arm[]) => arms.map((arm) => ({ ...arm, versionId: 'v' }));

test('every arm that is added has a key of its own, also after others went', () => {
  let arms: Arm[] = [...firstArms];
  for (let i = 0; i < 5; i++) arms = withAnother(arms);
  arms.splice(3, 1);
  arms = withAnother(withAnother(arms));
  expect(new Set(arms.map(({ key }) => key)).size).toBe(arms.length);
  for (const { key } of arms) expect(key).toMatch(/^[a-z0-9_-]{1,64}$/);
});

test('shares are the weights of all', () => {
  const arms = [1, 2, 5].map((weight, i) => ({ key: `${i}`, name: '', weight, versionId: null }));
  expect(arms.map((arm) => shareOf(arm, arms))).toEqual([0.125, 0.25, 0.625]);
  expect(shareOf({ ...arms[0]!, weight: 0 }, [])).toBe(0);
});

test('what an arm lacks is said', () => {
  expect(lacks(firstArms)).toBe('Every variant needs a version.');
  expect(lacks(whole(firstArms))).toBeUndefined();
  expect(lacks(whole(firstArms).map((arm) => ({ ...arm, weight: 0 })))).toBe(
    'Weights are whole numbers of at least 1.',
  );
  expect(lacks(whole(firstArms).map((arm) => ({ ...arm, weight: 1.5 })))).toBe(
    'Weights are whole numbers of at least 1.',
  );
  expect(lacks(whole(firstArms).map((arm) => ({ ...arm, name: ' ' })))).toBe('Every variant needs a name.');
  expect(toInput(whole(firstArms))[1]).toEqual({ key: 'variant', name: 'Variant', weight: 1, versionId: 'v' });
});
