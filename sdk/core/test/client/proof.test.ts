import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { createClient } from '../support/client';
import { vectors } from '../support/vectors';

// The lines that docs/identity.md gives to servers in Node make what the service expects.
it.each(vectors<{ secret: string; customUserId: string; proof: string }[]>('identity-proof'))(
  'the proof of $customUserId',
  ({ secret, customUserId, proof }) => {
    expect(createHmac('sha256', secret).update(customUserId).digest('hex')).toBe(proof);
  },
);

it('goes beside its id, and never beside another', async () => {
  const { client, config, seen, posts } = createClient({
    config: { analytics: { consent: 'granted' as const }, userId: 'ada', customUserId: 'c1', customUserIdProof: 'p1' },
    respond: () => ({ status: 200, body: { appUserId: 'ada' } }),
  });
  const sent = () => {
    client.track('a');
    const { customUserId, customUserIdProof } = seen[seen.length - 1]?.event.identity ?? {};
    return [customUserId, customUserIdProof];
  };
  expect(sent()).toEqual(['c1', 'p1']);
  client.updateConfig({ ...config, customUserIdProof: 'p2' });
  expect(sent()).toEqual(['c1', 'p2']);
  client.setCustomUserId('c2');
  expect(sent()).toEqual(['c2', undefined]);
  client.setCustomUserId('c2', 'p3');
  expect(sent()).toEqual(['c2', 'p3']);
  await client.identify({});
  await client.identify({ customUserId: 'c4' });
  await client.identify({ customUserId: 'c4', customUserIdProof: 'p4' });
  expect(posts('/identify').map(({ body }) => body)).toEqual([
    { appUserId: 'ada', customUserId: 'c2', customUserIdProof: 'p3' },
    { appUserId: 'ada', customUserId: 'c4' },
    { appUserId: 'ada', customUserId: 'c4', customUserIdProof: 'p4' },
  ]);
  client.setCustomUserId(null, 'p5');
  expect(sent()).toEqual([undefined, undefined]);
  client.updateConfig({ ...config, customUserId: 'c6', customUserIdProof: 'p6' });
  expect(sent()).toEqual(['c6', 'p6']);
  client.reset();
  expect(sent()).toEqual([undefined, undefined]);
});
