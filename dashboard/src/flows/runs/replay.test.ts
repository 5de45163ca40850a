import { expect, test } from 'vitest';
import type { RunRecord } from './queries';
import { visitsOf } from './replay';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const hit = (name: string, second: number, stepId: string, properties: unknown = null) => ({
  name,
  at: at(second),
  seq: null,
  stepId,
  properties,
});

const record: RunRecord = {
  run: {
    appUserId: 'u',
    customUserId: '',
    startedAt: at(0),
    lastAt: at(6),
    state: 'COMPLETED',
    versionId: 'v',
    platform: 'web',
    locale: 'en',
    country: '',
    city: '',
    device: '',
    variant: '',
    path: [
      { stepId: 'goal', at: at(1), seconds: 2 },
      { stepId: 'name', at: at(3), seconds: 2 },
      { stepId: 'goal', at: at(5), seconds: null },
    ],
  },
  events: [
    hit('flow_started', 0, ''),
    hit('step_viewed', 1, 'goal'),
    hit('choice_selected', 2, 'goal', { field_key: 'goal', value: 'rescue' }),
    hit('step_viewed', 3, 'name'),
    hit('text_submitted', 4, 'name', { field_key: 'name', text: '__redacted__' }),
    hit('step_viewed', 5, 'goal'),
    hit('choice_selected', 5, 'goal', { value: 'grow' }),
    hit('flow_completed', 6, ''),
  ],
};

test('each visit has what was done in it, and a second visit of a step has its own', () => {
  expect(visitsOf(record).map(({ stepId, acts }) => [stepId, ...acts.map(({ what, value }) => [what, value])])).toEqual(
    [
      ['goal', ['chose', 'rescue']],
      ['name', ['wrote', 'hidden']],
      ['goal', ['chose', 'grow'], ['completed the flow', undefined]],
    ],
  );
});

test('a run without a visit has nothing to play', () => {
  expect(visitsOf({ ...record, run: { ...record.run, path: [] } })).toEqual([]);
});
