import { expect, test } from 'vitest';
import { open } from './document';
import { describe } from './words';

const text = (id: string, words: string) => ({ id, kind: 'text', text: { default: words } });

/** Go's words_test.go has the same rows: both name a step alike. */
test.each([
  ['lyr_hi', 'text', 'Change the text of “Hi {First name}, {Goal}”'],
  ['lyr_price', 'text', 'Change the text of “{Yearly price}”'],
  ['lyr_odd', 'text', 'Change the text of “{{ 7 }} {{ open”'],
  ['dec_1/cases/c1', 'expression', 'Change the condition of decision case'],
])('a step at %s is named in words', (node, member, words) => {
  const children = [
    text('lyr_hi', 'Hi {{ first_name | default: "you" }}, {{goal.id}}'),
    text('lyr_price', '{{custom.yearly_price}}'),
    text('lyr_odd', '{{ 7 }} {{ open'),
  ];
  const document = open({
    screens: [{ id: 'scr_1', next: {}, regions: { body: { id: 'lyr_body', kind: 'stack', children } } }],
    decisionNodes: [{ id: 'dec_1', cases: [{ id: 'c1', expression: { kind: 'empty' }, next: null }], elseNext: null }],
  });
  expect(describe(document, [{ op: 'set', node, path: [member], value: null }])).toBe(words);
});
