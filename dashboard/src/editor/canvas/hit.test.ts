import { expect, test } from 'vitest';
import { clicked, deeper, layersAt } from './hit';

const parents: Record<string, string> = { card: 'body', title: 'card', price: 'card', badge: 'price', skip: 'body' };
const parentOf = (id: string) => parents[id];
const boxes = [
  { id: 'body', x: 0, y: 0, width: 390, height: 800 },
  { id: 'card', x: 20, y: 100, width: 350, height: 300 },
  { id: 'title', x: 40, y: 120, width: 200, height: 40 },
  { id: 'price', x: 40, y: 200, width: 200, height: 80 },
  { id: 'badge', x: 50, y: 210, width: 40, height: 20 },
  { id: 'skip', x: 20, y: 700, width: 350, height: 50 },
];
const at = (x: number, y: number) => layersAt(boxes, { x, y }, parentOf);

test('the layers around a point, outermost first', () => {
  expect(at(60, 215)).toEqual(['body', 'card', 'price', 'badge']);
  expect(at(5, 5)).toEqual(['body']);
  expect(at(-1, 5)).toEqual([]);
  // A box that a later one lies over does not count, whatever is around it.
  const over = [...boxes, { id: 'sheet', x: 0, y: 0, width: 390, height: 800 }];
  expect(layersAt(over, { x: 60, y: 215 }, parentOf)).toEqual(['sheet']);
});

test.each([
  ['with nothing selected the outermost one, but for the region', [], [60, 215], 'card'],
  ['the region where there is nothing else', [], [5, 5], 'body'],
  ['one beside the selected one', ['body', 'card', 'title'], [60, 215], 'price'],
  ['the selected group again, when something in it is clicked', ['body', 'card'], [60, 215], 'card'],
  ['one beside a deeper one', ['body', 'card', 'price', 'badge'], [60, 130], 'title'],
  ['one outside of the group', ['body', 'card', 'title'], [60, 710], 'skip'],
  ['of another region the outermost one', ['footer', 'go', 'label'], [60, 215], 'card'],
])('a click selects %s', (_, selected, [x, y], wanted) => {
  expect(clicked(at(x!, y!), selected)).toBe(wanted);
});

test('a double click goes one deeper, to the last', () => {
  const path = at(60, 215);
  expect(deeper(path, undefined)).toBe('body');
  expect(deeper(path, 'card')).toBe('price');
  expect(deeper(path, 'badge')).toBe('badge');
});
