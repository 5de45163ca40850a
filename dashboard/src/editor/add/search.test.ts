import { expect, test } from 'vitest';
import { kinds } from './kinds';
import { searched } from './search';

const found = (text: string) => searched(kinds, text).flatMap(({ additions }) => additions.map(({ id }) => id));

test.each([
  ['button', 'button'],
  ['image', 'image'],
  ['picture', 'image'],
  ['picker', 'wheel_picker'],
  ['dropdown', 'wheel_picker'],
  ['slider', 'scale_input'],
  ['countdown', 'counter'],
  ['login', 'oauth_login'],
  ['headline', 'text'],
  ['row', 'stack'],
  ['if', 'conditional'],
  ['birthday', 'date_time_input'],
  ['Einzel', undefined],
  ['confetti', 'lottie'],
  ['sign social', 'oauth_login'],
  ['permission', 'button'],
])('“%s” finds %s', (text, id) => {
  if (id) expect(found(text)).toContain(id);
  else expect(found(text)).toEqual([]);
});

test('what is called so comes before what is for it, and no words find everything', () => {
  expect(found('button')[0]).toBe('button');
  expect(found('CHECK')[0]).toBe('checkbox');
  expect(found('slider')).toEqual(expect.arrayContaining(['carousel', 'scale_input']));
  expect(found(' … ')).toHaveLength(31);
});
