import { expect, test } from 'vitest';
import { type Flow, open } from '../document/document';
import { Editor } from '../document/editor';
import type { Operation } from '../document/operation';
import { compareFlows } from './changes';

const text = (id: string, words: string, more = {}) => ({ id, kind: 'text', text: { default: words }, ...more });
const stack = (id: string, ...children: object[]) => ({ id, kind: 'stack', direction: 'vertical', children });

const flow = {
  schemaVersion: 7,
  defaultLocale: 'en',
  locales: ['en'],
  entryScreenId: 'scr_welcome',
  screens: [
    {
      id: 'scr_welcome',
      name: 'Welcome',
      next: { default: 'scr_goal' },
      regions: {
        body: stack(
          'lyr_body',
          text('lyr_headline', 'Hello', { name: 'Headline', style: { fontSize: 20, color: '$primary' } }),
          text('lyr_small', 'No card needed'),
          { ...stack('lyr_card', text('lyr_price', '$5', { name: 'Price' })), name: 'Card' },
          {
            id: 'lyr_go',
            kind: 'button',
            name: 'Go on',
            variant: 'primary',
            action: { kind: 'continue' },
            children: [text('lyr_go_words', 'Go')],
          },
        ),
      },
    },
    {
      id: 'scr_goal',
      name: 'Goal',
      next: { default: 'dec_plan' },
      regions: {
        body: stack('lyr_body2', {
          id: 'lyr_goal',
          kind: 'single_choice',
          name: 'Goal question',
          fieldKey: 'goal',
          children: [stack('lyr_a', text('lyr_at', 'Run')), stack('lyr_b', text('lyr_bt', 'Swim'))],
          optionBindings: [
            { optionId: 'run', rootLayerId: 'lyr_a' },
            { optionId: 'swim', rootLayerId: 'lyr_b' },
          ],
        }),
      },
    },
    { id: 'scr_plans', name: 'Plans', next: { default: null }, regions: { body: stack('lyr_body3') } },
  ],
  decisionNodes: [
    {
      id: 'dec_plan',
      name: 'Which plan',
      elseNext: 'scr_plans',
      cases: [{ id: 'c1', name: 'German', next: 'scr_plans', expression: condition('de') }],
    },
  ],
  externalSurfaceNodes: [],
} as unknown as Flow;

function condition(value: string) {
  return {
    kind: 'predicate',
    variable: { kind: 'builtin', name: 'locale' },
    predicate: { type: 'string', pred: { op: 'eq', value } },
  };
}

/** What comparing says after operations, a line a change. */
function said(...operations: Operation[]): string[] {
  const editor = Editor.open(structuredClone(flow));
  expect(editor.runStep({ name: '', operations })).toBe(true);
  return compareFlows(flow, editor.document.flow)!.flatMap(({ name, changes }) =>
    changes.map(({ subject, words }) => `${name}: ${subject === '' ? '' : `[${subject}] `}${words}`),
  );
}

const set = (node: string, path: string, value: unknown) =>
  ({ op: 'set', node, path: path.split('.'), value }) as Operation;

test.each<[string, Operation[], string[]]>([
  [
    'a text',
    [set('lyr_headline', 'text.default', 'Welcome back')],
    ['Welcome: [Headline] text changed from “Hello” to “Welcome back”'],
  ],
  [
    'a text of a layer without a name, and its translation',
    [set('lyr_small', 'text.default', 'Free'), set('lyr_small', 'text.translations', { de: 'Gratis' })],
    ['Welcome: [Text] changed from “No card needed” to “Free”', 'Welcome: [Text] in German set to “Gratis”'],
  ],
  [
    'styles',
    [
      set('lyr_headline', 'style.fontSize', 24),
      set('lyr_headline', 'style.color', '#ff0000'),
      set('lyr_headline', 'style.padding', { t: 8, r: 8, b: 8, l: 8 }),
    ],
    [
      'Welcome: [Headline] padding set to 8',
      'Welcome: [Headline] size changed from 20 to 24',
      'Welcome: [Headline] color changed from Primary to #ff0000',
    ],
  ],
  [
    'where a screen leads',
    [set('scr_welcome', 'next.default', 'scr_plans')],
    ['Welcome: Leads to “Plans” instead of “Goal”'],
  ],
  [
    'what a button does',
    [set('lyr_go', 'action', { kind: 'go_to_step', screenId: 'scr_plans' })],
    ['Welcome: [Go on] when tapped: go to “Plans” instead of go on to what comes next'],
  ],
  [
    'a layer that went elsewhere',
    [{ op: 'move', node: 'lyr_small', parent: 'lyr_card', slot: 'children', after: 'lyr_price', before: null }],
    ['Welcome: [No card needed] moved into “Card”, below “Price”'],
  ],
  [
    'a layer of another screen',
    [{ op: 'move', node: 'lyr_price', parent: 'lyr_body3', slot: 'children', after: null, before: null }],
    ['Welcome: [Price] moved to “Plans”', 'Plans: [Price] moved into “Body” from “Welcome”'],
  ],
  [
    'an order',
    [{ op: 'move', node: 'lyr_go', parent: 'lyr_body', slot: 'children', after: null, before: 'lyr_headline' }],
    ['Welcome: [Go on] moved to the top of “Body”'],
  ],
  [
    'what came and went',
    [
      { op: 'remove', node: 'lyr_card' },
      {
        op: 'insert',
        parent: 'lyr_body',
        slot: 'children',
        after: 'lyr_headline',
        before: null,
        subtree: stack('lyr_new', text('lyr_new2', 'New')) as never,
      },
    ],
    ['Welcome: [Stack] added below “Headline”', 'Welcome: [Card] removed'],
  ],
  [
    'an option, with what it shows',
    [
      {
        op: 'insert',
        parent: 'lyr_goal',
        slot: 'children',
        after: 'lyr_b',
        before: null,
        subtree: stack('lyr_c', text('lyr_ct', 'Hike')) as never,
      },
      {
        op: 'insert',
        parent: 'lyr_goal',
        slot: 'optionBindings',
        after: 'lyr_goal/optionBindings/swim',
        before: null,
        subtree: { optionId: 'hike', rootLayerId: 'lyr_c' },
      },
    ],
    ['Goal: [Goal question] option “Hike” added'],
  ],
  [
    'a decision',
    [set('dec_plan/cases/c1', 'expression', condition('fr')), set('dec_plan', 'elseNext', 'scr_goal')],
    [
      'Which plan: Otherwise leads to “Goal” instead of “Plans”',
      'Which plan: Case “German” condition changed from “Language is de” to “Language is fr”',
    ],
  ],
  ['a name', [set('scr_goal', 'name', 'Aim')], ['Aim: Name changed from “Goal” to “Aim”']],
  ['a screen that went', [{ op: 'remove', node: 'scr_plans' }], ['Plans: Screen removed']],
  [
    'the flow',
    [set('flow', 'locales', ['en', 'de']), set('flow', 'theme', { primary: '#000000' })],
    ['Flow: Language German added', 'Flow: Primary set to #000000'],
  ],
])('says %s', (_, operations, expected) => {
  expect(said(...operations)).toEqual(expected);
});

test('a draft that the editor would repair first is not told by layers', () => {
  expect(compareFlows(flow, { screens: [{ id: 'x' }, { id: 'x' }] })).toBeUndefined();
  expect(compareFlows(undefined, flow)).toBeUndefined();
  expect(compareFlows(flow, structuredClone(flow))).toEqual([]);
  expect(open(flow).screens).toBe(3);
});
