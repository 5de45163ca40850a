import { describe, expect, it } from 'vitest';
import { planWalks, readTemplates, unseen } from '../support/template-walks';

describe.each(readTemplates(import.meta.dirname))('the template $id', ({ manifest }) => {
  it('comes to each of its screens and ends, whatever is answered', () => {
    const walks = planWalks(manifest, () => ['granted', 'denied', 'blocked']);
    expect(unseen(manifest, walks)).toEqual([]);
  });
});
