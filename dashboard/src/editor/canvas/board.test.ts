import { expect, test } from 'vitest';
import { around, center, fitIn, isNear, placeScreens, seen, zoomAt, zooms } from './board';

const phone = { width: 390, height: 844 };
const canvas = { width: 900, height: 700 };

test('screens stand in rows and never over each other', () => {
  for (const count of [1, 2, 7, 60]) {
    const boxes = placeScreens(count, phone).map((at) => ({ ...at, ...phone }));
    expect(boxes).toHaveLength(count);
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(
          true,
        );
  }
  expect(new Set(placeScreens(4, phone).map(({ y }) => y)).size).toBe(1);
});

test('a box that fits is in the middle, and never larger than it is', () => {
  const box = { x: 500, y: 200, ...phone };
  const view = fitIn(box, canvas);
  const on = seen(box, view);
  expect(on.x + on.width / 2).toBeCloseTo(450);
  expect(on.y + on.height / 2).toBeCloseTo(350);
  expect(on.height).toBeCloseTo(700 - 112);
  expect(fitIn({ x: 0, y: 0, width: 10, height: 10 }, canvas).zoom).toBe(1);
  expect(fitIn({ x: 0, y: 0, width: 1e6, height: 10 }, canvas).zoom).toBe(zooms.least);
  expect(center(box, canvas, 1).zoom).toBe(1);
});

test('zooming keeps the point under the pointer', () => {
  let view = { x: 12, y: -40, zoom: 0.7 };
  const point = { x: 300, y: 200 };
  const before = { x: (point.x - view.x) / view.zoom, y: (point.y - view.y) / view.zoom };
  for (const wanted of [1, 2.5, 100, 0.0001]) {
    view = zoomAt(view, point, wanted);
    expect(view.zoom).toBe(Math.max(zooms.least, Math.min(zooms.most, wanted)));
    expect((point.x - view.x) / view.zoom).toBeCloseTo(before.x);
    expect((point.y - view.y) / view.zoom).toBeCloseTo(before.y);
  }
});

test('what is far from the canvas is not near', () => {
  const view = { x: 0, y: 0, zoom: 1 };
  expect(isNear({ x: 0, y: 0, ...phone }, view, canvas)).toBe(true);
  expect(isNear({ x: 1300, y: 0, ...phone }, view, canvas)).toBe(true);
  expect(isNear({ x: 1400, y: 0, ...phone }, view, canvas)).toBe(false);
  expect(isNear({ x: 0, y: -1300, ...phone }, view, canvas)).toBe(false);
  expect(
    around([
      { x: 0, y: 5, ...phone },
      { x: 400, y: 0, ...phone },
    ]),
  ).toEqual({ x: 0, y: 0, width: 790, height: 849 });
});
