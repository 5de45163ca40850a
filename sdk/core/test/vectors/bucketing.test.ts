import { expect, it } from 'vitest';
import { bucketArm, type ExperimentArm } from '../../src/index';
import { murmur3 } from '../../src/tools/bucketing';
import { vectors } from '../support/vectors';

interface BucketingVectors {
  murmur3: { input: string; hash: number }[];
  bucketing: { experimentId: string; salt: string; appUserId: string; arms: ExperimentArm[]; arm: string | null }[];
}
const { murmur3: hashes, bucketing } = vectors<BucketingVectors>('bucketing');

it.each(hashes)('murmur3 of $input', ({ input, hash }) => {
  expect(murmur3(input)).toBe(hash);
});

it('puts every person into the arm that the server does', () => {
  expect(bucketing.length).toBeGreaterThan(0);
  for (const { appUserId, arm, ...experiment } of bucketing) expect(bucketArm(experiment, appUserId) ?? null).toBe(arm);
});

it('has no arm without arms and the first one without weights', () => {
  expect(bucketArm({ experimentId: 'e', salt: 's', arms: [] }, 'u')).toBeUndefined();
  const arms = [
    { id: 'a', weight: 0 },
    { id: 'b', weight: 0 },
  ];
  expect(bucketArm({ experimentId: 'e', salt: 's', arms }, 'u')).toBe('a');
});
