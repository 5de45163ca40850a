import { expect, test } from 'vitest';
import type { JsonObject } from '../document/operation';
import { DraftRun } from './frame/draftRun';
import { type Given, keptEvents } from './port';

const screen = (id: string, to: string | null): JsonObject => ({
  id,
  regions: { body: { kind: 'stack', id: `${id}_body`, axis: 'vertical', children: [] } },
  next: { default: to },
});

/** Goal → (on iOS: Price, else: Plan) → the end. */
const flow: JsonObject = {
  flowId: 'flow',
  schemaVersion: 7,
  version: 1,
  defaultLocale: 'en',
  locales: ['en'],
  entryScreenId: 'goal',
  screens: [screen('goal', 'device'), screen('price', null), screen('plan', 'goal')],
  decisionNodes: [
    {
      id: 'device',
      elseNext: 'plan',
      cases: [
        {
          id: 'apple',
          next: 'price',
          expression: {
            kind: 'predicate',
            variable: { kind: 'builtin', name: 'platform' },
            predicate: { type: 'string', pred: { op: 'eq', value: 'ios' } },
          },
        },
      ],
    },
  ],
};

const given = (change: Partial<Given> = {}): Given => ({
  flow,
  locale: 'en',
  theme: 'light',
  platform: 'ios',
  attributes: {},
  permission: 'granted',
  mediaMap: {},
  branding: undefined,
  ...change,
});

const next = (run: DraftRun) => run.respond({ kind: 'cta', action: 'primary' });
const names = ({ told }: DraftRun) => told.events.map(({ name }) => name);

test('a run begins with the entry, follows decisions and ends, and keeps what it would send', () => {
  const run = new DraftRun();
  expect(run.told).toMatchObject({ run: 0, status: 'unable', step: null });
  run.show(given());
  expect(run.told).toMatchObject({ run: 1, status: 'running', step: 'goal', lost: false });
  next(run);
  expect(run.told.step).toBe('price');
  next(run);
  expect(run.told).toMatchObject({ status: 'ended', step: null });
  expect(names(run)).toEqual([
    'flow_started',
    'step_viewed',
    'decision_evaluated',
    'step_completed',
    'step_viewed',
    'flow_completed',
  ]);
  expect(run.told.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('an edit shows where the run stands: nothing is recorded twice, and the way on is the new one', () => {
  const run = new DraftRun();
  run.show(given());
  const screens = [screen('goal', 'plan'), screen('price', null), screen('plan', null)];
  run.show(given({ flow: { ...flow, screens } }));
  expect(run.told).toMatchObject({ run: 1, step: 'goal', lost: false });
  expect(names(run)).toEqual(['flow_started', 'step_viewed']);
  next(run);
  expect(run.told.step).toBe('plan');
  run.show(given({ flow: { ...flow, screens }, platform: 'web', locale: 'de' }));
  expect(run.state?.session).toMatchObject({ platform: 'web', locale: 'de' });
});

test('a run whose screen is removed begins again and says so, until it is restarted', () => {
  const run = new DraftRun();
  run.show(given());
  next(run);
  run.show(given({ flow: { ...flow, screens: [screen('goal', null), screen('plan', null)] } }));
  expect(run.told).toMatchObject({ run: 2, step: 'goal', lost: true });
  run.restart(null);
  expect(run.told).toMatchObject({ run: 3, step: 'goal', lost: false });
});

test('a run begins with any screen, and with the entry when that one is gone', () => {
  const run = new DraftRun();
  run.restart('plan');
  run.show(given());
  expect(run.told).toMatchObject({ run: 1, step: 'plan' });
  next(run);
  expect(run.told.step).toBe('goal');
  run.show(given({ flow: { ...flow, screens: [screen('goal', null)] } }));
  run.restart('plan');
  expect(run.told.step).toBe('goal');
});

test('a draft that cannot run is no error, and runs when it can', () => {
  const run = new DraftRun();
  for (const broken of [{}, { ...flow, entryScreenId: null }, { ...flow, screens: null, decisionNodes: 7 }]) {
    run.show(given({ flow: broken as JsonObject }));
    expect(run.told).toMatchObject({ status: 'unable', step: null });
  }
  run.show(given());
  expect(run.told).toMatchObject({ status: 'running', step: 'goal' });
});

test('no more than the last events are kept', () => {
  const run = new DraftRun();
  run.show(given({ platform: 'web' }));
  for (let i = 0; i < keptEvents; i++) next(run);
  const { events, dropped } = run.told;
  expect(events).toHaveLength(keptEvents);
  expect(events.at(-1)!.seq).toBe(keptEvents + dropped - 1);
  expect(dropped).toBeGreaterThan(0);
});
