import { expect, test } from 'vitest';
import { shiftOff } from './shiftOff';

const box = (left: number, top: number, width = 100, height = 200) => ({
  ...{ left, top },
  right: left + width,
  bottom: top + height,
});
const graph = box(200, 0, 900, 800);
const panel = box(860, 10, 232, 300);

test('a graph moves until a panel covers neither a step nor where it leads', () => {
  expect(shiftOff(panel, graph, [box(900, 100)])).toBe(900 + 100 + 24 - 860);
  expect(shiftOff(panel, graph, [box(400, 100), box(850, 50)])).toBe(850 + 100 + 24 - 860);
});

test('a graph stays where it is while nothing is covered', () => {
  expect(shiftOff(panel, graph, [box(400, 100)])).toBe(0);
  expect(shiftOff(panel, graph, [box(900, 400)]), 'below the panel').toBe(0);
  expect(shiftOff(panel, graph, [box(400, 100), box(1200, 50)]), 'out of sight').toBe(0);
  expect(shiftOff(panel, graph, [undefined])).toBe(0);
});

test('a step stays in sight, whatever its targets need', () => {
  expect(shiftOff(panel, graph, [box(300, 100), box(1050, 50)])).toBe(300 - 24 - 200);
  expect(shiftOff(panel, graph, [box(210, 100), box(900, 50)])).toBe(0);
});
