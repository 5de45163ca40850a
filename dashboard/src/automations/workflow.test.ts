import { expect, test } from 'vitest';
import { conditionWords, nodeWords, type Path, pathOf, starter, triggerWords } from './workflow';

/** A path as text: `a [Yes: b | No: c →a]`. */
const drawn = ({ steps, joins }: Path): string =>
  [
    ...steps.map(({ node, branches }) =>
      branches.length > 0
        ? `${node.id} [${branches.map(({ name, path }) => `${name}: ${drawn(path)}`).join(' | ')}]`
        : node.id,
    ),
    ...(joins ? [`→${joins}`] : []),
  ].join(' ');

test.each([
  ['nothing', undefined, ''],
  ['another shape', { nodes: 'none' }, ''],
  ['what is no node is left out', { nodes: [1, null, { id: 'a', type: 'exit' }] }, 'a'],
  ['one after another', starter('e'), 'hour remind'],
  [
    'in circles',
    {
      nodes: [
        { id: 'a', type: 'delay', next: 'b' },
        { id: 'b', type: 'delay', next: 'a' },
      ],
    },
    'a b →a',
  ],
  [
    'paths that come together again',
    {
      nodes: [
        // biome-ignore lint/suspicious/noThenProperty: the definition calls it so
        { id: 'who', type: 'condition', then: 'mail', else: 'wait' },
        { id: 'wait', type: 'delay', next: 'mail' },
        { id: 'mail', type: 'webhook' },
      ],
    },
    'who [Yes: mail | No: wait →mail]',
  ],
  [
    'by weight',
    {
      nodes: [
        { id: 's', type: 'split', arms: [{ weight: 1, next: 'a' }, { weight: 3 }] },
        { id: 'a', type: 'exit' },
      ],
    },
    's [25%: a | 75%: ]',
  ],
])('the path of %s', (_, definition, want) => {
  expect(drawn(pathOf(definition))).toBe(want);
});

test('words of triggers, nodes and conditions', () => {
  expect(triggerWords(starter('e'))).toBe('User tracks cart_abandoned');
  expect(triggerWords({})).toBe('No trigger yet');
  const names = new Map([['a-b', 'Reader <b>']]);
  const begun = (trigger: object) => [{ trigger }, names] as const;
  expect(triggerWords(...begun({ type: 'segment', segmentId: 'A-B' }))).toBe('User enters “Reader <b>”');
  expect(triggerWords(...begun({ type: 'segment', segmentId: 'gone' }))).toBe('User enters a segment');
  expect(triggerWords(...begun({ type: 'goal', goalId: 'a-b' }))).toBe('User meets “Reader <b>”');
  expect(triggerWords(...begun({ type: 'flow', outcome: 'abandoned', flowId: 'a-b' }))).toBe(
    'User abandons “Reader <b>”',
  );
  expect(triggerWords(...begun({ type: 'flow', outcome: 'any' }))).toBe('User ends a flow');
  const [hour, remind] = pathOf(starter('e')).steps;
  expect(nodeWords(hour!.node, new Map())).toBe('Wait 1h 00m');
  expect(nodeWords(remind!.node, new Map([['e', 'Mailer']]))).toBe('Send cart.abandoned to Mailer');
  expect(
    conditionWords({
      all: [
        { of: 'attributes', property: 'tier', op: 'in', value: ['gold', 'silver'] },
        { not: { of: 'person', property: 'email', op: 'absent' } },
      ],
    }),
  ).toBe('attributes.tier is one of gold, silver and not (person.email is not known)');
});
