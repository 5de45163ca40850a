import { find, isObject } from '../document/canonical';
import type { JsonObject } from '../document/operation';
import type { Handled } from './handled';
import type { Sides } from './handles';

/** Where a layer that stands free is after its seen edges moved by some pixels: by the sides that it is placed by. */
export function insetFor({ object, box, around, layout }: Handled, by: Sides, zoom: number): JsonObject {
  const own = find(object, ['style', 'inset']);
  const inset = isObject(own) ? own : {};
  const [left, right] = layout.rightToLeft ? (['r', 'l'] as const) : (['l', 'r'] as const);
  const out: Record<string, number> = {};
  const place = (near: string, far: string, start: number, nearBy: number, farBy: number) => {
    const [first, last] = [inset[near], inset[far]];
    if (typeof last === 'number') out[far] = pixels(last - farBy);
    if (typeof first === 'number') out[near] = pixels(first + nearBy);
    if (typeof first !== 'number' && typeof last !== 'number') out[near] = pixels(start / zoom + nearBy);
  };
  place(left, right, box.x - around.x, by.l, by.r);
  place('t', 'b', box.y - around.y, by.t, by.b);
  return { ...inset, ...out };
}

const pixels = (value: number) => Math.max(0, Math.round(value));
