import { describe, expect, it } from 'vitest';
import {
  advanceCarousel,
  autoAdvanceSlide,
  initialSlide,
  landingCompletes,
  slideFromOffset,
  snapDurationMs,
} from '../../src/flow/carousel';
import { canonicalJson, clauseDigest } from '../../src/flow/digest';
import { type ExpressionContext, evaluateExpression } from '../../src/flow/expression';
import { counterText, flowProgress, loaderProgress } from '../../src/flow/progress';
import { renderTemplate } from '../../src/flow/template';
import type { CarouselLayer, CounterLayer, Expression, StoredResponses } from '../../src/index';
import type { ExpressionPredicate } from '../../src/manifest/types';
import { exampleManifest } from '../support/examples';

describe('clause digest', () => {
  it.each<[unknown, string]>([
    [{ kind: 'empty' }, 'd7ce597e4'],
    [
      {
        kind: 'predicate',
        variable: { kind: 'field', fieldKey: 'goal' },
        predicate: { type: 'choice', pred: { op: 'eq', optionId: 'opt_a' } },
      },
      'd5940c607',
    ],
    [
      {
        kind: 'group',
        op: 'and',
        children: [
          {
            kind: 'predicate',
            variable: { kind: 'builtin', name: 'locale' },
            predicate: { type: 'string', pred: { op: 'contains', value: 'en' } },
          },
        ],
      },
      'dfe7bf623',
    ],
  ])('%j', (expression, digest) => {
    expect(clauseDigest(expression)).toBe(digest);
  });

  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, A: true })).toBe(
      '{"A":true,"b":[1,{"c":"x","d":null}]}',
    );
  });
});

describe('expressions', () => {
  const responses: StoredResponses = {
    goal: { kind: 'choice', choiceId: 'rescue' },
    picks: { kind: 'multiChoice', choiceIds: ['a', 'b'] },
    none: { kind: 'multiChoice', choiceIds: [] },
    when: { kind: 'date_time', value: '2026-01-02', classification: 'safe' },
    count: { kind: 'number_stepper', value: 3, classification: 'safe' },
    phone: { kind: 'phone', value: '+1555', countryCode: 'US', nationalNumber: '555', classification: 'safe' },
    home: { kind: 'address', value: { line1: 'x', city: 'y', postalCode: 'z', country: 'DE' }, classification: 'safe' },
    box: { kind: 'checkbox', fieldKey: 'box', value: false },
    passed: { kind: 'bypass_input', via: 'skip' },
    'permission:camera': { kind: 'permission_outcome', layerId: 'l', permissionKey: 'camera', outcome: 'granted' },
  };
  const context: ExpressionContext = {
    locale: 'en-GB',
    platform: 'web',
    sdkAttributes: {
      age: 12,
      text: '12',
      yes: ' YES ',
      no: 'no',
      zero: 0,
      word: 'maybe',
      flag: true,
      inf: Number.POSITIVE_INFINITY,
    },
    responses,
  };
  const check = (variable: string, predicate: ExpressionPredicate): boolean => {
    const [kind, key = ''] = variable.split('/');
    const parsed =
      kind === 'builtin'
        ? { kind: 'builtin' as const, name: key as 'locale' }
        : kind === 'sdk'
          ? { kind: 'sdk' as const, key }
          : { kind: 'field' as const, fieldKey: key };
    return evaluateExpression({ kind: 'predicate', variable: parsed, predicate }, context);
  };
  const string = (op: 'eq' | 'neq' | 'contains', value: string): ExpressionPredicate => ({
    type: 'string',
    pred: { op, value },
  });
  const number = (op: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte', value: number): ExpressionPredicate => ({
    type: 'number',
    pred: { op, value },
  });
  const boolean = (op: 'eq' | 'neq', value: boolean): ExpressionPredicate => ({ type: 'boolean', pred: { op, value } });
  const multi = (op: 'intersects' | 'contains_all' | 'subset_of', ...optionIds: string[]): ExpressionPredicate => ({
    type: 'multi',
    pred: { op, optionIds },
  });

  it.each<[string, ExpressionPredicate, boolean]>([
    ['builtin/locale', string('contains', 'en'), true],
    ['builtin/locale', string('contains', 'EN'), false],
    ['builtin/platform', string('neq', 'ios'), true],
    ['sdk/age', string('eq', '12'), true],
    ['sdk/flag', string('neq', 'x'), false],
    ['sdk/missing', string('neq', 'x'), false],
    ['sdk/constructor', string('neq', 'x'), false],
    ['sdk/inf', string('neq', 'x'), false],
    ['sdk/age', number('gte', 12), true],
    ['sdk/age', number('lt', 12), false],
    ['sdk/age', number('lte', 12), true],
    ['sdk/age', number('gt', 11), true],
    ['sdk/age', number('neq', 11), true],
    ['sdk/text', number('eq', 12), false],
    ['sdk/inf', number('gt', 1), false],
    ['sdk/yes', boolean('eq', true), true],
    ['sdk/no', boolean('eq', false), true],
    ['sdk/zero', boolean('neq', true), true],
    ['sdk/word', boolean('neq', true), false],
    ['sdk/inf', boolean('eq', true), false],
    ['field/box', boolean('eq', false), true],
    ['field/goal', { type: 'choice', pred: { op: 'eq', optionId: 'rescue' } }, true],
    ['field/goal', { type: 'choice', pred: { op: 'one_of', optionIds: ['a', 'rescue'] } }, true],
    ['field/picks', { type: 'choice', pred: { op: 'eq', optionId: 'a' } }, false],
    ['field/picks', multi('intersects', 'b', 'z'), true],
    ['field/picks', multi('contains_all', 'b', 'z'), false],
    ['field/picks', multi('subset_of', 'a', 'b', 'c'), true],
    ['field/none', multi('intersects', 'a'), false],
    ['field/none', multi('contains_all', 'a'), false],
    ['field/none', multi('subset_of', 'a'), true],
    ['field/goal', multi('subset_of', 'rescue'), false],
    ['field/when', string('eq', '2026-01-02'), true],
    ['field/phone', string('contains', '+1'), true],
    ['field/count', number('eq', 3), true],
    ['field/permission:camera', string('eq', 'granted'), true],
    ['field/home', string('neq', 'x'), false],
    ['field/passed', string('neq', 'x'), false],
  ])('%s %j is %s', (variable, predicate, expected) => {
    expect(check(variable, predicate)).toBe(expected);
  });

  it('empty is false, also inside groups', () => {
    const empty: Expression = { kind: 'empty' };
    const yes: Expression = {
      kind: 'predicate',
      variable: { kind: 'sdk', key: 'flag' },
      predicate: boolean('eq', true),
    };
    expect(evaluateExpression(empty, context)).toBe(false);
    expect(evaluateExpression({ kind: 'group', op: 'or', children: [empty, yes] }, context)).toBe(true);
    expect(evaluateExpression({ kind: 'group', op: 'and', children: [yes, empty] }, context)).toBe(false);
  });
});

describe('templates', () => {
  const manifest = exampleManifest('branching-onboarding');
  const render = (template: string, responses: StoredResponses = {}, locale = 'en') =>
    renderTemplate(template, { manifest, responses, locale, customProperties: { plan: 'Pro' } });

  it.each<[string, string]>([
    ['no tokens', 'no tokens'],
    ['open {{ goal', 'open {{ goal'],
    ['{{ custom.plan }}', 'Pro'],
    ['{{ custom.other | default: "none" }}', 'none'],
    ['{{custom.other|DEFAULT:bare words }}!', 'bare words!'],
    ["{{ missing | default: 'single' }}", 'single'],
    ['{{ Bad-Key }}{{ 1x | default: y }}', 'y'],
    ['{{ missing | upper: x }}', ''],
    ['{{ }}', ''],
    ['{{ constructor }}', ''],
  ])('%j renders %j', (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  it('gives the label of a choice in the wanted locale, its id with .id', () => {
    const responses: StoredResponses = {
      goal: { kind: 'choice', choiceId: 'rescue' },
      symptoms: { kind: 'multiChoice', choiceIds: ['yellow', 'gone'] },
    };
    expect(render('{{ goal.id }} {{ symptoms.id }}', responses)).toBe('rescue yellow, gone');
    const label = render('{{ goal }}', responses);
    expect(label).not.toBe('');
    expect(label).not.toBe('rescue');
    expect(render('{{ symptoms }}', responses)).toMatch(/^\S.*, gone$/);
  });

  it('writes every other kind of answer', () => {
    const responses: StoredResponses = {
      n: { kind: 'number_stepper', value: 2.5, classification: 'safe' },
      b: { kind: 'checkbox', fieldKey: 'b', value: true },
      a: { kind: 'address', value: { line1: 'L', city: '', postalCode: 'P', country: 'DE' }, classification: 'safe' },
      s: { kind: 'bypass_input', via: 'skip' },
    };
    expect(render('{{n}}|{{b}}|{{a}}|{{s}}|{{n.id}}', responses)).toBe('2.5|true|L, P, DE||');
  });
});

describe('progress, loader, counter', () => {
  it('is the place in the document', () => {
    const manifest = exampleManifest('linear-onboarding');
    expect(manifest.screens.map((screen) => flowProgress(manifest, screen.id))).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
    expect(flowProgress(manifest, null)).toBe(0);
  });

  it('fills after the delay to the target', () => {
    const loader = { id: 'l', kind: 'loader' as const, fillDelayMs: 100, durationMs: 200, targetPercent: 50 };
    expect([0, 100, 200, 300, 999].map((ms) => loaderProgress(loader, ms))).toEqual([0, 0, 0.25, 0.5, 0.5]);
  });

  it.each<[Partial<CounterLayer>, number, string]>([
    [{ endValue: 12 }, 1500, '6'],
    [{ endValue: 1, decimalPlaces: 2, durationMs: 1000 }, 500, '0.5'],
    [{ endValue: 1, decimalPlaces: 2, durationMs: 1000 }, 1000, '1'],
    [{ endValue: 100, delayMs: 50, durationMs: 0 }, 49, '0'],
    [{ endValue: 100, delayMs: 50, durationMs: 0 }, 50, '100'],
    [{ startValue: 900, endValue: 0, displayKind: 'time' }, 0, '15:00'],
    [{ startValue: 900, endValue: 0, displayKind: 'time' }, 1500, '14:58'],
    [{ startValue: 3661, endValue: 0, displayKind: 'time', timeFormat: 'hh_mm_ss' }, 0, '1:01:01'],
    [{ startValue: 90061, endValue: 0, displayKind: 'time', timeFormat: 'dd_hh_mm_ss' }, 0, '1:01:01:01'],
  ])('counter %j at %d ms shows %s', (part, ms, expected) => {
    expect(counterText({ id: 'c', kind: 'counter', startValue: 0, endValue: 0, ...part }, ms)).toBe(expected);
  });
});

describe('carousel', () => {
  const slide = (id: string) => ({ id, kind: 'stack' as const, direction: 'vertical' as const, children: [] });
  const carousel = (part: Partial<CarouselLayer> = {}): CarouselLayer => ({
    id: 'lyr_c',
    kind: 'carousel',
    slides: [slide('a'), slide('b'), slide('c')],
    ...part,
  });

  it('opens inside its slides', () => {
    expect([0, 2, 9].map((openOn) => initialSlide(carousel({ openOn })))).toEqual([0, 2, 2]);
  });

  it('completes by landing on the last slide, but not when a button pages it', () => {
    expect(landingCompletes(carousel(), 1, 2, false)).toBe(true);
    expect(landingCompletes(carousel(), 1, 2, true)).toBe(false);
    expect(landingCompletes(carousel({ loop: true }), 1, 2, false)).toBe(false);
    expect(landingCompletes(carousel(), 2, 2, false)).toBe(false);
    expect(landingCompletes(carousel({ slides: [slide('a')] }), 0, 0, false)).toBe(false);
  });

  it('advances by tap as runtime.md §5 says', () => {
    expect(advanceCarousel(carousel(), 0)).toEqual({ kind: 'slide', index: 1 });
    expect(advanceCarousel(carousel(), 2)).toEqual({ kind: 'none' });
    expect(advanceCarousel(carousel(), 2, 'complete')).toEqual({ kind: 'complete' });
    expect(advanceCarousel(carousel({ loop: true }), 2, 'complete')).toEqual({ kind: 'slide', index: 0 });
    expect(advanceCarousel(carousel({ slides: [slide('a')] }), 0, 'complete')).toEqual({ kind: 'none' });
    expect([0, 2].map((index) => autoAdvanceSlide(carousel(), index))).toEqual([1, 2]);
    expect(autoAdvanceSlide(carousel({ loop: true }), 2)).toBe(0);
  });

  it('snaps by distance', () => {
    expect([snapDurationMs(10, 300), snapDurationMs(300, 300), snapDurationMs(900, 300), snapDurationMs(1, 0)]).toEqual(
      [180, 280, 400, 280],
    );
    expect([slideFromOffset(149, 300, 3), slideFromOffset(151, 300, 3), slideFromOffset(9999, 300, 3)]).toEqual([
      0, 1, 2,
    ]);
  });
});
