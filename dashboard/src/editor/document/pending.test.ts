import { expect, test, vi } from 'vitest';
import { browserStore } from './pending';
import { openDraft } from './session';
import { small } from './TestRandom';
import type { Batch } from './transport';

test('a browser whose store hangs opens a draft, saves it, and says that it keeps nothing', async () => {
  vi.useFakeTimers();
  const sent: Batch[] = [];
  const store = browserStore(
    { open: () => ({}) } as unknown as IDBFactory,
    { request: async () => {} } as unknown as LockManager,
  );
  const opening = openDraft(
    'flow',
    {
      read: async () => ({ revision: 1, document: small }),
      send: async (batch) => {
        sent.push(batch);
        return { revision: 2, outcomes: [{ step: batch.steps[0]!, inverse: [] }], others: [], reset: false };
      },
    },
    store,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  const { editor } = await opening;
  editor.runStep({ name: 'Note', operations: [{ op: 'set', node: 'lyr_title', path: ['note'], value: 1 }] });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toHaveLength(1);
  expect([editor.saveState, editor.isKept]).toEqual(['saved', false]);
  vi.useRealTimers();
});
