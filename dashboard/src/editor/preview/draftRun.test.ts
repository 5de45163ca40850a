import { expect, test } from 'vitest';
import type { JsonObject } from '../document/operation';
import { setClock } from './frame/clock';
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

const paywall = (provider: string, more: JsonObject = {}): JsonObject => ({
  ...flow,
  screens: [screen('goal', 'pay')],
  decisionNodes: [],
  externalSurfaceNodes: [{ id: 'pay', config: { provider, ...more }, outcomes: {}, fallback: 'end' }],
});

test.each([
  ['revenuecat', { product_id: 'yearly', price: 49.99, currency: 'EUR' }, 'onb_rc_last_product_id'],
  ['superwall', { product_id: 'yearly' }, 'onb_sw_last_product_id'],
])('what is bought at a paywall of %s is told as its SDK tells it', (provider, sold, key) => {
  const run = new DraftRun();
  const product = { id: 'yearly', price: 49.99, currency: 'EUR' };
  run.show(given({ flow: paywall(provider), product }));
  next(run);
  expect(run.told.step).toBe('pay');
  run.report('pay', 'purchase_completed');
  const bought = run.told.events.find(({ name }) => name === 'iap_purchase');
  expect(bought?.properties).toMatchObject(sold);
  expect('price' in bought!.properties!).toBe('price' in sold);
  expect(run.state?.session.surfaceKeys).toMatchObject({ [key]: 'yearly' });
});

test('nothing is bought where no product is named, at other outcomes, and at other paywalls', () => {
  for (const [provider, outcome, product] of [
    ['revenuecat', 'purchase_completed', undefined],
    ['revenuecat', 'purchase_completed', { id: '' }],
    ['revenuecat', 'purchase_cancelled', { id: 'yearly' }],
    ['stripe', 'purchase_completed', { id: 'yearly' }],
  ] as const) {
    const run = new DraftRun();
    run.show(given({ flow: paywall(provider), ...(product && { product }) }));
    next(run);
    run.report('pay', outcome);
    expect([provider, names(run).includes('iap_purchase')]).toEqual([provider, false]);
    expect(names(run)).toContain('surface_outcome');
  }
});

test('the clock of a run is that of its device: events happen when it says', () => {
  const real = Date;
  try {
    setClock(new Date('2031-05-06T07:08:00Z').getTime() - Date.now());
    const run = new DraftRun();
    run.show(given());
    expect(JSON.stringify(run.told.events[0])).toContain('2031-05-06T07:08:0');
    expect(new Date().getFullYear()).toBe(2031);
    expect(new Date(2020, 1, 2).getDate()).toBe(2);
    expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date()).toBeInstanceOf(real);
  } finally {
    setClock(0);
  }
  expect(Date).toBe(real);
});

test('a condition holds or not as the SDK says for the run, and of nonsense nothing is said', () => {
  const run = new DraftRun();
  const [apple] = (flow.decisionNodes as JsonObject[])[0]!.cases as JsonObject[];
  expect(run.holds(apple!.expression)).toBeUndefined();
  run.show(given());
  expect(run.holds(apple!.expression)).toBe(true);
  run.show(given({ platform: 'android' }));
  expect(run.holds(apple!.expression)).toBe(false);
  expect(run.holds({ kind: 'empty' })).toBe(false);
  for (const nonsense of [null, 3, {}, { kind: 'group' }]) expect([undefined, false]).toContain(run.holds(nonsense));
});
