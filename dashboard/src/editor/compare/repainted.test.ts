import { expect, test } from 'vitest';
import { compareFlows } from './changes';
import { repaintedBy } from './repainted';

const screen = (id: string, layer: object) => ({
  id,
  name: id.toUpperCase(),
  regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children: [layer] } },
});
const words = (color: string) => ({ id: 'lyr_w', kind: 'text', text: { default: 'Hi' }, style: { color } });
const flow = (theme: object, ...screens: object[]) => ({ theme, screens, entryScreenId: 'a' });
const screens = [
  screen('a', words('$primary')),
  screen('b', { ...words('#123456'), id: 'lyr_b2' }),
  screen('c', { id: 'lyr_c2', kind: 'progress' }),
  screen('d', { id: 'lyr_d2', kind: 'progress', fillColor: '#123456' }),
];
const namesOf = (before: object, after: object) =>
  repaintedBy(before, after, compareFlows(before, after) ?? []).map(({ name }) => name);

test('a color of the theme changes the screens that are drawn in it', () => {
  const before = flow({ primary: '#111111', accent: '#222222' }, ...screens);
  expect(namesOf(before, flow({ primary: '#333333', accent: '#222222' }, ...screens))).toEqual(['A', 'C']);
  expect(namesOf(before, flow({ primary: '#111111', accent: '#333333' }, ...screens))).toEqual([]);
  expect(namesOf(before, before)).toEqual([]);
});

test('a font changes all screens but those that are told of themselves', () => {
  const before = flow({}, ...screens);
  const edited = [screen('a', { ...words('$primary'), text: { default: 'Hello' } }), ...screens.slice(1)];
  expect(namesOf(before, flow({ fontFamily: 'Inter' }, ...edited))).toEqual(['B', 'C', 'D']);
});
